/** Sealing of what the host stores: the box has the keys, the store has the places. */

import type { ErrorCode } from '../core/error-table.ts';
import type { Parsed } from '../core/errors.ts';
import type { SecretPlace } from '../core/sealed-secret.ts';

/** A secret as it is stored. */
export interface SealedSecret {
  /** Name of the key, which tells nothing of it. */
  readonly keyId: string;
  readonly sealed: string;
}

/** Keys that seal and open. Implementation: adapters/system/secret-box.ts. */
export interface SecretBox {
  /** Names of the keys; the first one seals, all open. Empty: nothing is sealed. */
  keyIds(): readonly string[];
  /** Undefined where there is no key. */
  seal(place: SecretPlace, text: string): SealedSecret | undefined;
  /** Refusals: SECRET_KEY_MISSING, SECRET_DAMAGED (altered, or of another place). */
  open(place: SecretPlace, secret: SealedSecret): Parsed<string>;
  /**
   * Makes another key, which seals from now on; the old ones still open. False where the keys are the operator's.
   * @throws AppError SECRET_KEY_FILE_INVALID.
   */
  renew(): boolean;
}

/** How the stored secrets are kept. No value is in it. */
export interface SecretsStatus {
  /** Names of the keys of this host, the sealing one first. */
  readonly keys: readonly string[];
  /** Sealed secrets by the name of their key. */
  readonly sealed: Readonly<Record<string, number>>;
  /** Secrets that stand in their columns as they are, once for each row of a tenant. */
  readonly plain: readonly SecretPlace[];
  /** Sealed secrets that this host cannot open. */
  readonly unreadable: readonly (SecretPlace & { readonly keyId: string; readonly code: ErrorCode })[];
}

/** What a rotation did. */
export interface RotationReport extends SecretsStatus {
  /** A key was made for it. */
  readonly isNewKey: boolean;
  /** Secrets that were sealed with another key before. */
  readonly resealed: number;
  /** Secrets that were plain before. */
  readonly sealedPlain: number;
}

/** Upkeep of the stored secrets; hosts go on meanwhile. */
export interface SecretUpkeep {
  status(): Promise<SecretsStatus>;
  /**
   * Seals every sealed secret with the first key, after making a new one where the host keeps its keys itself.
   * It takes turns with changes of settings, on every host. @param options.sealPlain also seals what is plain, but of
   * several rows of one tenant only the one that counts, and nothing where another one is sealed: those stay in `plain`.
   * @throws AppError SECRET_KEYS_NONE, DB_BUSY when another one takes a minute.
   */
  rotate(options: { readonly sealPlain: boolean }): Promise<RotationReport>;
}
