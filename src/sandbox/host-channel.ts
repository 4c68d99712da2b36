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

/** What one read takes at most. Nearly every frame fits, so it costs one system call. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The lane's one connection: blocking reads and writes on an inherited socket. A lane never waits for anything else,
 * so a call of a finished run has no way to exist.
 */
export class HostChannel {
  readonly #fd: number;
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  /** A frame that goes with the next one. */
  #held: Uint8Array | undefined;
  /** What was read and not yet taken: `#chunk` from `#start` to `#end`. */
  #start = 0;
  #end = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** True when a frame, or the beginning of one, is at hand without waiting. */
  get holdsMore(): boolean {
    return this.#end > this.#start;
  }

  /** Writes a frame; returns when the kernel has it. Ends the process when the host is gone. */
  send(type: number, runId: number, text: string): void {
    const bytes = encodeFrame({ type, runId, text });
    const held = this.#held;
    this.#held = undefined;
    this.#write(held === undefined ? bytes : Buffer.concat([held, bytes]));
  }

  /** Writes a frame together with the next one, at the latest before the lane waits for the host. */
  hold(type: number, runId: number, text: string): void {
    this.#flush();
    this.#held = encodeFrame({ type, runId, text });
  }

  #flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#write(held);
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let sent = 0; sent < bytes.byteLength; ) sent += writeSync(this.#fd, bytes, sent);
    } catch {
      // The socket is the lane's only purpose; nobody is left who could be told.
      endProcess();
    }
  }

  /** Waits for the next frame; undefined when the host has closed the socket between frames. */
  receive(): Frame | undefined {
    const header = this.#take(FRAME_HEADER_BYTES);
    if (header === undefined) return undefined;
    const { textBytes, type, runId } = decodeFrameHeader(header);
    if (textBytes > MAX_FRAME_TEXT_BYTES) return endProcess();
    const text = textBytes === 0 ? '' : decodeFrameText(this.#take(textBytes) ?? endProcess());
    return { type, runId, text };
  }

  /** The next `length` bytes, valid until the next call; undefined at the end of the stream. */
  #take(length: number): Uint8Array | undefined {
    if (length > CHUNK_BYTES) return this.#takeLarge(length);
    if (this.#end - this.#start < length && !this.#fill(length)) return undefined;
    this.#start += length;
    return this.#chunk.subarray(this.#start - length, this.#start);
  }

  /** Reads until `length` bytes are at hand. @returns false when the stream ended before the first of them. */
  #fill(length: number): boolean {
    this.#chunk.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    while (this.#end < length) {
      const count = this.#readSome(this.#chunk, this.#end, CHUNK_BYTES - this.#end);
      if (count === 0) return this.#end === 0 ? false : endProcess();
      this.#end += count;
    }
    return true;
  }

  #takeLarge(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    bytes.set(this.#chunk.subarray(this.#start, this.#end));
    let filled = this.#end - this.#start;
    this.#start = 0;
    this.#end = 0;
    while (filled < length) {
      const count = this.#readSome(bytes, filled, length - filled);
      if (count === 0) return endProcess();
      filled += count;
    }
    return bytes;
  }

  #readSome(bytes: Uint8Array, offset: number, length: number): number {
    this.#flush();
    try {
      return readSync(this.#fd, bytes, offset, length, null);
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
