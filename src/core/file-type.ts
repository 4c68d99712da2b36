/** What the first bytes of a file say it is. */

/** Kinds of files that browsers show by themselves, so that a wrong label would make them run something else. */
const SIGNED_TYPES: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  'application/pdf': (bytes) => starts(bytes, '%PDF-'),
  'image/png': (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]),
  'image/gif': (bytes) => starts(bytes, 'GIF87a') || starts(bytes, 'GIF89a'),
  'image/webp': (bytes) => starts(bytes, 'RIFF') && starts(bytes.subarray(8), 'WEBP'),
  'image/avif': (bytes) => starts(bytes.subarray(4), 'ftyp') && /avi[fs]/.test(latin1(bytes.subarray(8, 64))),
  'image/bmp': (bytes) => starts(bytes, 'BM'),
  'image/tiff': (bytes) => startsWith(bytes, [0x49, 0x49, 0x2a, 0]) || startsWith(bytes, [0x4d, 0x4d, 0, 0x2a]),
  'image/x-icon': (bytes) => startsWith(bytes, [0, 0, 1, 0]),
  'image/svg+xml': (bytes) => /<svg[\s>]/i.test(latin1(bytes.subarray(0, 4096))),
};

const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/ico': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
  'image/svg': 'image/svg+xml',
};

/** Longest junk in front of a PDF that is cut: such as blanks and byte order marks of a template. */
const PDF_JUNK = 1024;

/** A file that may be sent. */
export interface CheckedFile {
  readonly bytes: Uint8Array;
  /** Media type without parameters, lower case. */
  readonly type: string;
  /** True where a browser shows it; other files are downloads. */
  readonly inline: boolean;
}

/**
 * Checks that a file is of the media type it is said to be, where its first bytes can tell; what stands before `%PDF-`
 * is cut (v8-surface.md 5.5). Undefined when it is something else.
 */
export function checkFile(contentType: string, bytes: Uint8Array): CheckedFile | undefined {
  const named = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const type = ALIASES[named] ?? named;
  const isSigned = SIGNED_TYPES[type];
  if (isSigned === undefined) return { bytes, type, inline: false };
  const whole = type === 'application/pdf' ? withoutJunk(bytes) : bytes;
  return isSigned(whole) ? { bytes: whole, type, inline: true } : undefined;
}

function withoutJunk(bytes: Uint8Array): Uint8Array {
  const at = latin1(bytes.subarray(0, PDF_JUNK)).indexOf('%PDF-');
  return at > 0 ? bytes.subarray(at) : bytes;
}

function starts(bytes: Uint8Array, text: string): boolean {
  return latin1(bytes.subarray(0, text.length)) === text;
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
