import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serviceDir } from './service-dir.ts';
import { announceDesk, type DeskAnswer } from './service-line.ts';
import { isServiceName, sharedService } from './shared-services.ts';

/**
 * The runner's desk: a test process that needs a service asks here for it by name, one line each; it is started at the
 * first question. A run that asks for none pays for none.
 */
export async function openServiceDesk(): Promise<void> {
  const path = join(serviceDir('desk'), 'socket');
  const server = createServer(serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  announceDesk(path);
}

function serve(socket: Socket): void {
  socket.unref();
  // A test process that is killed resets its line: nobody waits for the answer.
  socket.on('error', () => socket.destroy());
  createInterface({ input: socket }).on('line', (name) => {
    void answer(name).then((reply) => socket.write(`${JSON.stringify(reply)}\n`));
  });
}

async function answer(name: string): Promise<DeskAnswer> {
  if (!isServiceName(name)) return { problem: `no service ${name}` };
  try {
    return { urls: await sharedService(name) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
