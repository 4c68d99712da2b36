import {
  decodeFrameHeader,
  decodeFrameText,
  FRAME_HEADER_BYTES,
  type Frame,
  type FrameHeader,
  MAX_FRAME_TEXT_BYTES,
} from '../../protocol/frames.ts';
import { ProtocolBreach } from './protocol-breach.ts';

/** Cuts the byte stream of a lane into frames. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #header: FrameHeader | undefined;

  /** Takes bytes as they come and returns the frames that are complete. @throws ProtocolBreach */
  push(chunk: Uint8Array): Frame[] {
    this.#chunks.push(chunk);
    this.#buffered += chunk.byteLength;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#header === undefined) {
      if (this.#buffered < FRAME_HEADER_BYTES) return undefined;
      this.#header = decodeFrameHeader(this.#take(FRAME_HEADER_BYTES));
      if (this.#header.textBytes > MAX_FRAME_TEXT_BYTES) throw new ProtocolBreach('a frame is too long');
    }
    const { textBytes, type, runId } = this.#header;
    if (this.#buffered < textBytes) return undefined;
    this.#header = undefined;
    return { type, runId, text: readText(this.#take(textBytes)) };
  }

  /** Removes exactly `length` bytes, which are there. Chunks are joined only when a frame is complete. */
  #take(length: number): Uint8Array {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Uint8Array) : Buffer.concat(this.#chunks);
    this.#buffered -= length;
    this.#chunks = this.#buffered === 0 ? [] : [all.subarray(length)];
    return all.subarray(0, length);
  }
}

function readText(bytes: Uint8Array): string {
  try {
    return decodeFrameText(bytes);
  } catch {
    throw new ProtocolBreach('a frame is not UTF-8');
  }
}
