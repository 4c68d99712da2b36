// Starts a lane. Plain JavaScript, as what the host sends: a process that strips types itself holds 25 MB for it.
import { readSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** File descriptor of the socket to the host: the first after stdio. */
const SOCKET_FD = 3;

const LENGTH_BYTES = 4;

/** Sources by URL; what is not among them is read from disk. */
const sources = JSON.parse(read(read(LENGTH_BYTES).readUInt32BE()).toString());

registerHooks({
  load(url, context, nextLoad) {
    if (!Object.hasOwn(sources, url)) return nextLoad(url, context);
    return { format: 'module', source: sources[url], shortCircuit: true };
  },
});
await import('./main.ts');

function read(length) {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const count = readSync(SOCKET_FD, bytes, filled, length - filled, null);
    if (count === 0) process.exit(0);
    filled += count;
  }
  return bytes;
}
