/**
 * Frame layout on the socket between host and lane, both ways, big-endian:
 *
 *     u32 length of the text in bytes | u8 type | u32 run id | text, UTF-8
 *
 * The codec is pure: the channel that carries the bytes is its caller's.
 */

/** Bytes before a frame's text. */
export const FRAME_HEADER_BYTES = 9;

/**
 * Longest text of a frame. The largest honest one is a run: 8 MiB of parameters beside the source, or a host call
 * with 16 MiB of arguments.
 */
export const MAX_FRAME_TEXT_BYTES = 32 * 1024 * 1024;

/** One frame. `type` is a value of HOST_FRAME or LANE_FRAME, `runId` an unsigned 32-bit number. */
export interface Frame {
  readonly type: number;
  readonly runId: number;
  readonly text: string;
}

export interface FrameHeader {
  /** Length of the text that follows, in bytes. */
  readonly textBytes: number;
  readonly type: number;
  readonly runId: number;
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Writes a frame. A lone surrogate in `text` becomes U+FFFD, as UTF-8 demands. */
export function encodeFrame({ type, runId, text }: Frame): Uint8Array {
  const textBytes = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + textBytes);
  bytes.writeUInt32BE(textBytes, 0);
  bytes.writeUInt8(type, 4);
  bytes.writeUInt32BE(runId, 5);
  bytes.write(text, FRAME_HEADER_BYTES);
  return bytes;
}

/** Reads a frame's header from the first FRAME_HEADER_BYTES of `bytes`. The caller checks length and type. */
export function decodeFrameHeader(bytes: Uint8Array): FrameHeader {
  return { textBytes: readUint32(bytes, 0), type: bytes[4] ?? 0, runId: readUint32(bytes, 5) };
}

/** Without a view on the bytes, which is one object more for every frame. */
function readUint32(bytes: Uint8Array, at: number): number {
  const byte = (offset: number): number => bytes[at + offset] ?? 0;
  return byte(0) * 0x1000000 + ((byte(1) << 16) | (byte(2) << 8) | byte(3));
}

/** Reads a frame's text. @throws TypeError when it is not UTF-8. */
export function decodeFrameText(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}
