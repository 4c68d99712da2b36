import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** TypeScript's own server, as an editor starts it for a project whose packages were installed. */
function startEditor(t: TestContext, project: string): ChildProcessWithoutNullStreams {
  const server = join(ROOT, 'node_modules/typescript/lib/tsserver.js');
  const options = [
    '--pluginProbeLocations',
    project,
    '--disableAutomaticTypingAcquisition',
    '--suppressDiagnosticEvents',
  ];
  const editor = spawn(process.execPath, [server, ...options], { cwd: project });
  t.after(() => editor.kill());
  return editor;
}

/** Asks the server and waits for the answer to this question. */
async function ask(editor: ChildProcessWithoutNullStreams, seq: number, command: string, args: object) {
  const lines = createInterface({ input: editor.stdout });
  editor.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`);
  for await (const line of lines) {
    if (!line.startsWith('{')) continue;
    const answer = JSON.parse(line);
    if (answer.type === 'response' && answer.request_seq === seq) return answer.body;
  }
  throw new Error('the server ended');
}

test('a project of v8host init marks a wrong return at its line in an editor, and no right one', async (t) => {
  const project = mkdtempSync(join(tmpdir(), 'v8host-editor-'));
  t.after(() => rmSync(project, { recursive: true, force: true }));
  cpSync(join(ROOT, 'templates/project/jsconfig.json'), join(project, 'jsconfig.json'));
  mkdirSync(join(project, 'types'));
  cpSync(join(ROOT, 'runtime-types/v8.d.ts'), join(project, 'types/v8.d.ts'));
  cpSync(join(ROOT, 'runtime-types/editor'), join(project, 'types/editor'), { recursive: true });
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(join(project, 'types/editor'), join(project, 'node_modules/v8-script-editor'));
  const file = join(project, 'order.js');
  writeFileSync(
    file,
    "/** @queue orders */\nif (!V8.Param.Id) return { Code: 0, Msg: 'no Id' };\nreturn { code: 1 };\n",
  );

  const editor = startEditor(t, project);
  editor.stdin.write(`${JSON.stringify({ seq: 1, type: 'request', command: 'open', arguments: { file } })}\n`);
  const marked = await ask(editor, 2, 'semanticDiagnosticsSync', { file });
  assert.deepEqual(
    marked.map((each: { start: { line: number; offset: number } }) => each.start),
    [{ line: 3, offset: 1 }],
    JSON.stringify(marked),
  );
});
