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

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Writes a frame. A lone surrogate in `text` becomes U+FFFD, as UTF-8 demands. */
export function encodeFrame(frame: Frame): Uint8Array {
  const text = ENCODER.encode(frame.text);
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + text.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, text.byteLength);
  view.setUint8(4, frame.type);
  view.setUint32(5, frame.runId);
  bytes.set(text, FRAME_HEADER_BYTES);
  return bytes;
}

/** Reads a frame's header from the first FRAME_HEADER_BYTES of `bytes`. The caller checks length and type. */
export function decodeFrameHeader(bytes: Uint8Array): FrameHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { textBytes: view.getUint32(0), type: view.getUint8(4), runId: view.getUint32(5) };
}

/** Reads a frame's text. @throws TypeError when it is not UTF-8. */
export function decodeFrameText(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}
