import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Finding } from '../../src/core/finding.ts';
import { runCli } from '../support/command-line.ts';
import { ownPort } from '../support/own-port.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A line of `v8host doctor --json`. */
export interface ShownFinding extends Omit<Finding, 'text'> {
  readonly text: string;
}

export interface DoctorRun {
  readonly code: number | null;
  readonly findings: readonly ShownFinding[];
  readonly out: string;
  /** Texts of one area and level. */
  texts(area: Finding['area'], level: Finding['level']): readonly string[];
  /** Problems but for the sandbox, whose check has no fair chance on a machine that is overloaded by other tests. */
  readonly problems: readonly string[];
}

/** Runs `v8host doctor` in a directory of its own, with a configuration; nothing runs at its address. */
export async function runDoctor(
  t: TestContext,
  config: Readonly<Record<string, unknown>> = {},
  {
    dir = tempDir(t),
    lang = 'en_US.UTF-8',
    env = {},
  }: { dir?: string; lang?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<DoctorRun> {
  const port = await ownPort();
  const file = { dataDir: dir, demo: false, http: { port }, ...config };
  writeFileSync(join(dir, 'v8host.config.json'), JSON.stringify(file));
  const base = { V8HOST_URL: `http://127.0.0.1:${port}`, LANG: lang };
  return readRun(await runCli(['doctor', '--json'], { cwd: dir, env: { ...base, ...env } }));
}

export function readRun({ code, out, err }: { code: number | null; out: string; err: string }): DoctorRun {
  if (!out.startsWith('{')) throw new Error(`no JSON: ${out}${err}`);
  const findings = (JSON.parse(out) as { Data: readonly ShownFinding[] }).Data;
  const texts: DoctorRun['texts'] = (area, level) =>
    findings.filter((each) => each.area === area && each.level === level).map(({ text }) => text);
  const problems = findings.flatMap(({ area, level, text }) =>
    level === 'problem' && area !== 'sandbox' ? [text] : [],
  );
  return { code, findings, out, texts, problems };
}
