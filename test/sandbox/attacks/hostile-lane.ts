/**
 * A lane whose isolate was left: it speaks the protocol as it likes. It stands for what a script could do that broke
 * out of V8, and shows that the host trusts nothing it says. The engine's key names what it does.
 */
import { readSync, writeSync } from 'node:fs';
import process from 'node:process';
import {
  decodeFrameHeader,
  decodeFrameText,
  encodeFrame,
  FRAME_HEADER_BYTES,
  type Frame,
} from '../../../src/protocol/frames.ts';
import { LANE_FRAME, type RunHead } from '../../../src/protocol/messages.ts';

const SOCKET_FD = 3;
const RETURNED = '{"kind":"returned"}\n{"Code":1}';

function send(type: number, runId: number, text: string): void {
  writeSync(SOCKET_FD, encodeFrame({ type, runId, text }));
}

/** Waits for the next frame of the host. */
function receive(): Frame {
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  fill(header);
  const { textBytes, type, runId } = decodeFrameHeader(header);
  const text = new Uint8Array(textBytes);
  fill(text);
  return { type, runId, text: decodeFrameText(text) };
}

function fill(bytes: Uint8Array): void {
  for (let filled = 0; filled < bytes.byteLength; ) {
    const count = readSync(SOCKET_FD, bytes, filled, bytes.byteLength - filled, null);
    if (count === 0) process.exit(0);
    filled += count;
  }
}

/** A frame that says it is longer than it is, or than any may be. */
function sendHeader(textBytes: number, type: number, runId: number): void {
  const header = encodeFrame({ type, runId, text: '' });
  new DataView(header.buffer).setUint32(0, textBytes);
  writeSync(SOCKET_FD, header);
}

const MODES: Readonly<Record<string, (runId: number) => void>> = {
  'a call of another run': (id) => send(LANE_FRAME.call, id + 1, 'MQ.SendMsg\n[]'),
  'the end of another run': (id) => send(LANE_FRAME.done, id + 1, RETURNED),
  'a frame of an unknown type': (id) => send(99, id, ''),
  'a frame of 4 GB': (id) => sendHeader(0xffff_ffff, LANE_FRAME.call, id),
  'a text that is not UTF-8': (id) => {
    sendHeader(2, LANE_FRAME.call, id);
    writeSync(SOCKET_FD, new Uint8Array([0xff, 0xfe]));
  },
  'a call that does not exist': (id) => send(LANE_FRAME.call, id, 'Db.DropEverything\n[]'),
  'a call named after an inherited member': (id) => send(LANE_FRAME.call, id, 'constructor\n[]'),
  'arguments beyond their limit': (id) => send(LANE_FRAME.call, id, `MQ.SendMsg\n["${'x'.repeat(5000)}"]`),
  'a second call before the first is answered': (id) => {
    send(LANE_FRAME.call, id, 'MQ.SendMsg\n[]');
    send(LANE_FRAME.call, id, 'MQ.SendMsg\n[]');
  },
  'a log without end': (id) => {
    for (let i = 0; i < 1000; i++) send(LANE_FRAME.log, id, `log\n${i}`);
  },
  'a log line of no level': (id) => send(LANE_FRAME.log, id, '__proto__\nx'),
  'an end that is not JSON': (id) => send(LANE_FRAME.done, id, '{\n'),
  'an end without a line': (id) => send(LANE_FRAME.done, id, '{"kind":"returned"}'),
  'an end without an outcome': (id) => send(LANE_FRAME.done, id, '{"warnings":[]}\n'),
  'an end of an unknown kind': (id) => send(LANE_FRAME.done, id, '{"kind":"acknowledged"}\n{"Code":1}'),
  'an end of an inherited kind': (id) => send(LANE_FRAME.done, id, '{"kind":"constructor"}\n{"Code":1}'),
  'an end as a compilation': (id) => send(LANE_FRAME.done, id, '{"kind":"compiled"}\n'),
  'an end that says it never began': (id) =>
    send(LANE_FRAME.done, id, '{"kind":"unstarted","error":{"code":"DRAINING","params":{}}}\n'),
  'a limit without its error': (id) => send(LANE_FRAME.done, id, '{"kind":"limit"}\n'),
  'a limit of an unknown code': (id) =>
    send(LANE_FRAME.done, id, '{"kind":"limit","error":{"code":"constructor","params":{}}}\n'),
  'a throw without its error': (id) => send(LANE_FRAME.done, id, '{"kind":"threw","error":{"message":{}}}\n'),
  'a throw of 20 MB': (id) =>
    send(LANE_FRAME.done, id, `{"kind":"unwritable","message":"${'x'.repeat(20_000_000)}"}\n`),
  'an end whose warnings are no list': (id) =>
    send(LANE_FRAME.done, id, '{"kind":"returned","warnings":1}\n{"Code":1}'),
  'a result with __proto__': (id) =>
    send(LANE_FRAME.done, id, '{"kind":"returned"}\n{"Code":1,"__proto__":{"planted":1}}'),
  'a result beyond its limit': (id) =>
    send(LANE_FRAME.done, id, `{"kind":"returned"}\n${JSON.stringify('x'.repeat(2_000_000))}`),
  'a result that is not JSON': (id) => send(LANE_FRAME.done, id, '{"kind":"returned"}\n{"__proto__"'),
  'its beginning after work of its own': (id) => {
    for (const end = usedCpuUs() + 200_000; usedCpuUs() < end; );
    send(LANE_FRAME.began, id, '');
    send(LANE_FRAME.done, id, RETURNED);
  },
  'its beginning twice': (id) => {
    send(LANE_FRAME.began, id, '');
    send(LANE_FRAME.began, id, '');
  },
  'its own end without a word': () => process.kill(process.pid, 'SIGKILL'),
  'nothing for ever': () => {
    for (;;) receive();
  },
};

function usedCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

send(LANE_FRAME.ready, 0, '');
for (;;) {
  const { runId, text } = receive();
  const mode = (JSON.parse(text.split('\n')[0] ?? '') as RunHead).engineKey;
  if (!mode.startsWith('its beginning')) send(LANE_FRAME.began, runId, '');
  MODES[mode]?.(runId);
}
