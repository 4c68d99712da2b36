import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** `PID PATH` of the runner and the socket of its desk; unset where a test file runs without the set-up. */
const DESK_VARIABLE = 'V8HOST_TEST_SERVICE_DESK';

/** What the desk answers to the name of a service, as one line of JSON. */
export type DeskAnswer = { readonly urls: unknown } | { readonly problem: string };

let line: Socket | undefined;
let questions: Promise<unknown> = Promise.resolve();

/** Tells the processes started from now on where this process's desk is. */
export function announceDesk(path: string): void {
  process.env[DESK_VARIABLE] = `${process.pid} ${path}`;
}

/**
 * Keeps a line to the runner, if there is one. When the runner is gone, killed or not, this process ends too, and with
 * it the services that it started for itself: nobody reads the outcome any more.
 */
export function holdLine(): Socket | undefined {
  const [runner, path] = (process.env[DESK_VARIABLE] ?? '').split(' ');
  if (path === undefined || Number(runner) === process.pid) return undefined;
  if (line !== undefined) return line;
  line = createConnection(path).unref().resume();
  line.once('close', endWithoutRunner);
  line.on('error', endWithoutRunner);
  return line;
}

function endWithoutRunner(): never {
  process.stderr.write('the test runner is gone\n');
  process.exit(1);
}

/** Asks the runner for a service, one question at a time. @returns undefined where there is no runner. */
export function askDesk(name: string): Promise<DeskAnswer | undefined> {
  const answer = questions.then(() => ask(name));
  questions = answer;
  return answer;
}

async function ask(name: string): Promise<DeskAnswer | undefined> {
  const socket = holdLine();
  if (socket === undefined) return undefined;
  const lines = createInterface({ input: socket });
  socket.ref().write(`${name}\n`);
  const [text] = (await once(lines, 'line')) as [string];
  lines.close();
  socket.unref().resume();
  return JSON.parse(text) as DeskAnswer;
}
