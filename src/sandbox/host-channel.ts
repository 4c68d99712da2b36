import { readSync, writeSync } from 'node:fs';
import process from 'node:process';
import {
  decodeFrameHeader,
  decodeFrameText,
  encodeFrame,
  FRAME_HEADER_BYTES,
  type Frame,
  MAX_FRAME_TEXT_BYTES,
} from '../protocol/frames.ts';

/**
 * The lane's one connection: blocking reads and writes on an inherited socket. A lane never waits for anything else,
 * so a call of a finished run has no way to exist.
 */
export class HostChannel {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Writes a frame; returns when the kernel has it. Ends the process when the host is gone. */
  send(type: number, runId: number, text: string): void {
    const bytes = encodeFrame({ type, runId, text });
    try {
      for (let sent = 0; sent < bytes.byteLength; ) sent += writeSync(this.#fd, bytes, sent);
    } catch {
      // The socket is the lane's only purpose; nobody is left who could be told.
      endProcess();
    }
  }

  /** Waits for the next frame; undefined when the host has closed the socket between frames. */
  receive(): Frame | undefined {
    const header = this.#read(FRAME_HEADER_BYTES);
    if (header === undefined) return undefined;
    const { textBytes, type, runId } = decodeFrameHeader(header);
    if (textBytes > MAX_FRAME_TEXT_BYTES) return endProcess();
    const text = textBytes === 0 ? '' : decodeFrameText(this.#read(textBytes) ?? endProcess());
    return { type, runId, text };
  }

  #read(length: number): Uint8Array | undefined {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      const count = this.#readSome(bytes, filled);
      if (count === 0) return filled === 0 ? undefined : endProcess();
      filled += count;
    }
    return bytes;
  }

  #readSome(bytes: Uint8Array, offset: number): number {
    try {
      return readSync(this.#fd, bytes, offset, bytes.byteLength - offset, null);
    } catch {
      return endProcess();
    }
  }
}

/**
 * Ends the lane at once, whatever its isolates are doing: `process.exit` with a running isolate can crash on the way
 * out, and a lane whose protocol is broken may not run anything more.
 */
export function endProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable: the process was killed');
}
