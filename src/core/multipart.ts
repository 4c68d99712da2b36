/** Bodies of `multipart/form-data` (RFC 7578). */

/** One field of a form: plain text, or a file when it has a file name. */
export interface FormPart {
  readonly name: string;
  readonly fileName?: string;
  readonly content: string | Uint8Array;
}

/**
 * Writes the parts in their order. The same parts and boundary give the same bytes, so that a repeated request is the
 * same request. @param boundary must not occur in any part.
 */
export function encodeMultipart(parts: readonly FormPart[], boundary: string): Uint8Array {
  const encoder = new TextEncoder();
  const chunks = parts.flatMap((part) => [
    encoder.encode(`--${boundary}\r\n${partHeader(part)}\r\n\r\n`),
    typeof part.content === 'string' ? encoder.encode(part.content) : part.content,
    encoder.encode('\r\n'),
  ]);
  return joined([...chunks, encoder.encode(`--${boundary}--\r\n`)]);
}

function partHeader({ name, fileName }: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (fileName === undefined) return disposition;
  return `${disposition}; filename="${quoted(fileName)}"\r\nContent-Type: application/octet-stream`;
}

/** Quotes and line breaks as the HTML standard writes them, so that no name can end its header. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return all;
}
