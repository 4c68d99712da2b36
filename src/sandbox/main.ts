/** Entry of a lane process. It owns nothing: no secret, no connection but the socket it inherits from the host. */
import process from 'node:process';
import { LANE_FRAME } from '../protocol/messages.ts';
import { HostChannel } from './host-channel.ts';
import { Lane } from './lane.ts';
import { readPreludeSource } from './prelude-source.ts';
import { TenantIsolates } from './tenant-isolates.ts';

/** File descriptor of the socket: the first after stdio. */
const SOCKET_FD = 3;

// Ctrl-C in a terminal and the stop of a service manager reach every process of the host. The host lets what runs end
// and then ends its lanes; a lane that obeyed would make a failed attempt of it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const channel = new HostChannel(SOCKET_FD);
const lane = new Lane(channel, new TenantIsolates(readPreludeSource()));

/** Between runs the event loop turns once, which lets the engine free what finished runs left. */
function serve(): void {
  if (lane.serve()) setImmediate(serve);
  else process.exit(0);
}

channel.send(LANE_FRAME.ready, 0, '');
serve();
