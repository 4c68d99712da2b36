import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';

/** What a request says it can read. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** More codings than this on one body are an attack on the reader. */
const MAX_CODINGS = 2;

type Decompress = (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const DECOMPRESS: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', promisify(gunzip) as Decompress],
  ['x-gzip', promisify(gunzip) as Decompress],
  ['br', promisify(brotliDecompress) as Decompress],
  ['zstd', promisify(zstdDecompress) as Decompress],
  ['deflate', inflateEither],
]);

/**
 * Reads a body to its end and undoes its codings. Both what comes over the wire and what it grows to stay within
 * `maxBytes`. @returns `decoded` false when the body had no coding that is known.
 * @throws AppError HTTP_FAILED, its target still to be filled in; the connection is then closed.
 */
export async function readResponseBody(
  body: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly decoded: boolean }> {
  const raw = await readAll(body, maxBytes);
  const codings = codingsOf(contentEncoding);
  // Answers to HEAD and 304 name the coding of a body that is not there.
  if (raw.byteLength === 0 || codings.length === 0) return { bytes: raw, decoded: false };
  if (codings.length > MAX_CODINGS) throw damaged();
  let bytes: Uint8Array = raw;
  for (const decompress of codings.reverse()) bytes = await decompressed(decompress, bytes, maxBytes);
  return { bytes, decoded: true };
}

async function readAll(body: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Codings in the order they were applied; none when one is unknown (some servers write a charset there). */
function codingsOf(contentEncoding = ''): Decompress[] {
  const names = contentEncoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const known = names.flatMap((name) => DECOMPRESS.get(name) ?? []);
  return known.length === names.length ? known : [];
}

async function decompressed(decompress: Decompress, bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw damaged(error);
  }
}

/** `deflate` means zlib's format (RFC 9110 8.4.1.2); some servers send the bare one. */
function inflateEither(data: Uint8Array, options: { maxOutputLength: number }): Promise<Uint8Array> {
  const isZlib = ((data[0] ?? 0) & 0x0f) === 8;
  return (promisify(isZlib ? inflate : inflateRaw) as Decompress)(data, options);
}

function tooLarge(maxBytes: number): AppError {
  const reason = bilingual(`响应超过 ${maxBytes} 字节`, `the answer has more than ${maxBytes} bytes`);
  return new AppError('HTTP_FAILED', { reason });
}

function damaged(cause?: unknown): AppError {
  const reason = bilingual('响应的压缩内容已损坏', 'the compressed answer is damaged');
  return new AppError('HTTP_FAILED', { reason }, { cause });
}
