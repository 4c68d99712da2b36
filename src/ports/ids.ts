/** Identifiers, randomness and digests. */
export interface Ids {
  /** 26 characters, Crockford base 32, rising with time. */
  ulid(): string;
  /** Lower-case UUID with dashes. */
  guid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /** 32 bytes that nobody can guess, base64url. */
  secret(): string;
  /** Lower-case hex SHA-256 of the bytes, or of the text's UTF-8. */
  sha256Hex(data: Uint8Array | string): string;
}
