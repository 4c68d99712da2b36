import { REASON } from '../reason-codes.ts';
import type { ClientPacket } from './client-packet.ts';
import { decodeConnect } from './connect-decoder.ts';
import { MAX_NUMBER_BYTES, PacketBytes } from './packet-bytes.ts';
import { checkFlags, decodePacket } from './packet-decoder.ts';
import { malformed, PacketFault, type ProtocolVersion, protocolError } from './packet-fault.ts';

const CONNECT = 1;

/** Where a packet lies in the bytes read so far. */
interface Frame {
  readonly bodyAt: number;
  readonly end: number;
}

/** Bytes to packets, however they are cut. A packet is refused by its size before its bytes are collected. */
export class PacketReader {
  readonly #maxBytes: number;
  readonly #onPacket: (packet: ClientPacket) => void;
  #version: ProtocolVersion | undefined;
  /** The beginning of a packet whose rest is to come; only the first `#filled` bytes count. */
  #partial: Buffer = Buffer.alloc(0);
  #filled = 0;
  #fault: unknown;

  constructor(maxBytes: number, onPacket: (packet: ClientPacket) => void) {
    this.#maxBytes = maxBytes;
    this.#onPacket = onPacket;
  }

  /** @throws PacketFault; the packets before the faulty one were handed over. It is thrown for all later bytes, too. */
  read(chunk: Buffer): void {
    if (this.#fault !== undefined) throw this.#fault;
    try {
      this.#readAll(this.#filled === 0 ? chunk : this.#joined(chunk));
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  #readAll(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.byteLength) {
      const frame = this.#frameAt(bytes, at);
      if (frame === undefined || frame.end > bytes.byteLength) break;
      this.#onPacket(this.#decode(bytes[at] ?? 0, bytes.subarray(frame.bodyAt, frame.end)));
      at = frame.end;
    }
    this.#keep(bytes, at);
  }

  /** @returns undefined while the length is not complete. */
  #frameAt(bytes: Buffer, at: number): Frame | undefined {
    let length = 0;
    for (let digits = 0; digits < MAX_NUMBER_BYTES; digits++) {
      const digit = bytes[at + 1 + digits];
      if (digit === undefined) return undefined;
      length += (digit & 0x7f) * 0x80 ** digits;
      if (digit >= 0x80) continue;
      // Older versions do not forbid it, and there are devices that always write four bytes.
      if (digit === 0 && digits > 0 && this.#version === 5) throw malformed('a length in more bytes than it needs');
      const bodyAt = at + 2 + digits;
      if (bodyAt - at + length > this.#maxBytes) throw new PacketFault(REASON.tooLarge, 'packet too large');
      return { bodyAt, end: bodyAt + length };
    }
    throw malformed('a length of more than four bytes');
  }

  /** CONNECT comes first and once [MQTT-3.1.0-1], [MQTT-3.1.0-2]. */
  #decode(header: number, body: Buffer): ClientPacket {
    const isConnect = header >> 4 === CONNECT;
    if (this.#version !== undefined) {
      if (isConnect) throw protocolError('a second CONNECT');
      return decodePacket(header, body, this.#version);
    }
    if (!isConnect) throw protocolError('something else before the CONNECT');
    checkFlags(CONNECT, header & 0xf);
    const packet = decodeConnect(new PacketBytes(body));
    this.#version = packet.version;
    return packet;
  }

  #joined(chunk: Buffer): Buffer {
    this.#append(chunk);
    return this.#partial.subarray(0, this.#filled);
  }

  /** Keeps what is not a whole packet yet. */
  #keep(bytes: Buffer, from: number): void {
    if (this.#filled > 0 && from === 0) return;
    this.#filled = 0;
    if (from >= bytes.byteLength) {
      if (this.#partial.byteLength > 0) this.#partial = Buffer.alloc(0);
      return;
    }
    // A buffer of its own: packets that were handed over still point into the former one.
    this.#partial = Buffer.allocUnsafeSlow(bytes.byteLength - from);
    this.#filled = bytes.copy(this.#partial, 0, from);
  }

  /** Doubles the room, so that a packet that comes byte by byte costs no more than in one piece. */
  #append(chunk: Buffer): void {
    const needed = this.#filled + chunk.byteLength;
    if (needed > this.#partial.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#partial.byteLength * 2));
      this.#partial.copy(larger, 0, 0, this.#filled);
      this.#partial = larger;
    }
    chunk.copy(this.#partial, this.#filled);
    this.#filled = needed;
  }
}
