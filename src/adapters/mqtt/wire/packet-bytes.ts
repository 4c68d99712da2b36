import { isUtf8 } from 'node:buffer';
import { malformed } from './packet-fault.ts';

/** Bytes of a number with variable length, at most (MQTT 5, 1.5.5). */
export const MAX_NUMBER_BYTES = 4;

/** The body of one packet, read from its beginning. Reading beyond its end is a PacketFault, never another packet. */
export class PacketBytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.byteLength - this.#at;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  twoBytes(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  fourBytes(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  /** A number of up to four bytes, in as few as it needs [MQTT-1.5.5-1]. */
  variableNumber(): number {
    let value = 0;
    for (let bytes = 0; bytes < MAX_NUMBER_BYTES; bytes++) {
      const digit = this.byte();
      value += (digit & 0x7f) * 0x80 ** bytes;
      if (digit < 0x80) {
        if (digit === 0 && bytes > 0) throw malformed('a length in more bytes than it needs');
        return value;
      }
    }
    throw malformed('a length of more than four bytes');
  }

  binary(): Buffer {
    const length = this.twoBytes();
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** Text without NUL and without invalid UTF-8 [MQTT-1.5.4-1], [MQTT-1.5.4-2]. */
  text(): string {
    const bytes = this.binary();
    if (!isUtf8(bytes)) throw malformed('invalid UTF-8');
    const text = bytes.toString('utf8');
    if (text.includes('\0')) throw malformed('NUL in a text');
    return text;
  }

  /** The next bytes as a part that ends by itself. */
  part(length: number): PacketBytes {
    const from = this.#take(length);
    return new PacketBytes(this.#bytes.subarray(from, from + length));
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#take(this.left));
  }

  /** Nothing may be left [MQTT-3.1.4-1]. */
  end(): void {
    if (this.left > 0) throw malformed('bytes beyond the end of the packet');
  }

  /** @returns where the bytes begin. */
  #take(bytes: number): number {
    const from = this.#at;
    if (bytes > this.left) throw malformed('a packet that ends too early');
    this.#at += bytes;
    return from;
  }
}
