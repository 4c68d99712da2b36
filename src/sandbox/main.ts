/** Entry of a lane process. It owns nothing: no secret, no connection but the socket it inherits from the host. */
import process from 'node:process';
import { DEFAULT_RUN_LIMITS } from '../core/run-limits.ts';
import { LANE_FRAME } from '../protocol/messages.ts';
import { HostChannel } from './host-channel.ts';
import { Lane } from './lane.ts';
import { readPrelude } from './prelude-source.ts';
import { TenantIsolates } from './tenant-isolates.ts';

/** File descriptor of the socket: the first after stdio. */
const SOCKET_FD = 3;

/** Frames served in one turn of the event loop; a turn costs as much as a short run. */
const FRAMES_PER_TURN = 32;

// Ctrl-C in a terminal and the stop of a service manager reach every process of the host. The host lets what runs end
// and then ends its lanes; a lane that obeyed would make a failed attempt of it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const isolates = new TenantIsolates(readPrelude());
const channel = new HostChannel(SOCKET_FD);
const lane = new Lane(channel, isolates);

/** Now and then the event loop turns, which lets the engine free what finished runs left. */
function serve(): void {
  for (let served = 0; served < FRAMES_PER_TURN; served++) {
    if (!lane.serve()) process.exit(0);
    if (isolates.freed) break;
  }
  setImmediate(serve);
}

channel.send(LANE_FRAME.ready, 0, '');
// The first run may come while this is made, and takes it then.
isolates.makeSpare(DEFAULT_RUN_LIMITS.heapMb);
serve();
