import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './usage-error.ts';

/** Asks the person at the terminal for a password, which is not shown. @throws UsageError where there is no terminal. */
export async function askPassword(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new UsageError('没有终端可以输入密码：用 --password-file', 'No terminal to ask at: use --password-file');
  }
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(new UsageError('没有输入密码', 'No password was given')));
    });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
