import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { accept, type Parsed, refuse } from '../../core/errors.ts';
import type { SecretPlace } from '../../core/sealed-secret.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { SealedSecret, SecretBox } from '../../ports/secret-box.ts';

/** AES-256-GCM with the nonce and tag lengths that NIST SP 800-38D recommends. Bytes. */
const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const KEY_BYTES = 32;

/** First part of what is stored; another way to seal gets another one. */
const FORM = 'v1';
const ID_DIGITS = 8;

interface NamedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * A box with these keys, as `isSecretKey` has them. @param renew makes and keeps another key; absent where the keys are
 * the operator's.
 */
export function createSecretBox(keys: readonly string[], renew?: () => string): SecretBox {
  return new AesSecretBox(keys.map(namedKey), renew);
}

/** The text of a new key. */
export function newSecretKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

class AesSecretBox implements SecretBox {
  readonly #renew: (() => string) | undefined;
  /** The first one seals. */
  #keys: readonly NamedKey[];

  constructor(keys: readonly NamedKey[], renew: (() => string) | undefined) {
    this.#keys = keys;
    this.#renew = renew;
  }

  keyIds(): readonly string[] {
    return this.#keys.map(({ id }) => id);
  }

  seal(place: SecretPlace, text: string): SealedSecret | undefined {
    const [key] = this.#keys;
    if (key === undefined) return undefined;
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG });
    cipher.setAAD(boundTo(place, key));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return { keyId: key.id, sealed: `${FORM}.${sealed.toString('base64url')}` };
  }

  open(place: SecretPlace, { keyId, sealed }: SealedSecret): Parsed<string> {
    const params = { tenant: place.tenant, field: place.name, key: keyId };
    const key = this.#keys.find(({ id }) => id === keyId);
    if (key === undefined) return refuse('SECRET_KEY_MISSING', params);
    const [form, data = ''] = sealed.split('.');
    const bytes = Buffer.from(data, 'base64url');
    if (form !== FORM || bytes.length < NONCE + TAG) return refuse('SECRET_DAMAGED', params);
    const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(boundTo(place, key));
    decipher.setAuthTag(bytes.subarray(-TAG));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
      return accept(text.toString('utf8'));
    } catch {
      // The tag does not fit: another value, another place or another key of that name.
      return refuse('SECRET_DAMAGED', params);
    }
  }

  renew(): boolean {
    if (this.#renew === undefined) return false;
    this.#keys = [namedKey(this.#renew()), ...this.#keys];
    return true;
  }
}

function namedKey(text: string): NamedKey {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  const id = createHash('sha256').update('v8host secret key\n').update(bytes).digest('hex').slice(0, ID_DIGITS);
  return { id, bytes };
}

/** A sealed value that somebody moves to another tenant, column or key does not open. */
function boundTo({ tenant, name }: SecretPlace, { id }: NamedKey): Buffer {
  return Buffer.from(JSON.stringify([FORM, id, tenantKey(tenant), name]), 'utf8');
}
