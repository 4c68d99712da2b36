import type { Readable } from 'node:stream';
import { AppError } from '../../core/errors.ts';

/**
 * Reads a body as text in the charset of its Content-Type, UTF-8 where none is named or known.
 * @throws AppError HTTP_FAILED, its target still to be filled in, past `maxBytes`; the connection is then closed.
 */
export async function readText(body: Readable, contentType: string | undefined, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new AppError('HTTP_FAILED', { reason: `the answer has more than ${maxBytes} bytes` });
    chunks.push(chunk);
  }
  return decoderFor(contentType).decode(Buffer.concat(chunks));
}

/** Chinese business systems answer in GBK and GB18030, too. */
function decoderFor(contentType: string | undefined): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    // A name that no standard knows: UTF-8 is right more often than any other.
    return new TextDecoder();
  }
}
