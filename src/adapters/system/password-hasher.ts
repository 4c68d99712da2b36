import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHasher } from '../../ports/identity.ts';

/** OWASP's least for argon2id: 19 MiB, two passes, one lane. `memory` is in KiB. */
const WORK = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

const derive = promisify(argon2);

interface Stored {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** argon2id of Node's own crypto, in the thread pool, kept in PHC's text form. */
export function createPasswordHasher(): PasswordHasher {
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const tag = await compute(password, { ...WORK, salt });
      return `$argon2id$v=19$m=${WORK.memory},t=${WORK.passes},p=${WORK.parallelism}$${plain(salt)}$${plain(tag)}`;
    },
    async verify(password, text) {
      const stored = text === undefined ? undefined : parse(text);
      if (stored === undefined) {
        // As long as a real one, so that the time does not tell which accounts there are.
        await compute(password, { ...WORK, salt: randomBytes(SALT_BYTES) });
        return false;
      }
      return timingSafeEqual(await compute(password, stored), stored.tag);
    },
    isOutdated(text) {
      const stored = parse(text);
      return stored === undefined || stored.memory < WORK.memory || stored.passes < WORK.passes;
    },
  };
}

function compute(password: string, { memory, passes, parallelism, salt }: Omit<Stored, 'tag'>): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  return derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: TAG_BYTES });
}

/** Undefined for a text of another kind. */
function parse(text: string): Stored | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (match === null) return undefined;
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const bytes = Buffer.from(tag, 'base64');
  if (bytes.length !== TAG_BYTES) return undefined;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: bytes,
  };
}

/** PHC's base64 has no padding. */
function plain(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
