import { AppError } from '../../core/errors.ts';
import type { SecretPlace } from '../../core/sealed-secret.ts';
import type { RotationReport, SecretsStatus, SecretUpkeep } from '../../ports/secret-box.ts';
import { PlainSecrets } from './plain-secrets.ts';
import { openWith, type SealedRow, type SealedSecrets } from './sealed-secrets.ts';
import type { SystemDb } from './system-tables.ts';

/** Rows of one transaction: hosts go on between two of them. */
const BATCH_ROWS = 100;

/** Runs work while nobody else changes settings of tenants or rotates: on this host and on every other one. */
export type RunAlone = <T>(work: () => Promise<T>) => Promise<T>;

/** Status and rotation of the secrets in the main tenant's database. */
export class SqlSecretUpkeep implements SecretUpkeep {
  readonly #secrets: SealedSecrets;
  readonly #plain: PlainSecrets;
  readonly #alone: RunAlone;

  /** @param tenant the main tenant, whose are the keys that sign tokens. */
  constructor(secrets: SealedSecrets, tenant: string, alone: RunAlone) {
    this.#secrets = secrets;
    this.#plain = new PlainSecrets(secrets, tenant);
    this.#alone = alone;
  }

  async status(): Promise<SecretsStatus> {
    const { box, database } = this.#secrets;
    const rows = await database.reader.selectFrom('v8host_secret').selectAll().execute();
    const sealed: Record<string, number> = {};
    const unreadable: SecretsStatus['unreadable'][number][] = [];
    for (const row of rows) {
      sealed[row.KeyId] = (sealed[row.KeyId] ?? 0) + 1;
      const opened = openWith(box, placeOf(row), secretOf(row));
      if (!opened.ok) unreadable.push({ ...placeOf(row), keyId: row.KeyId, code: opened.error.code });
    }
    return { keys: box?.keyIds() ?? [], sealed, plain: await this.#plain.places(), unreadable };
  }

  /** Two rotations at once would each make a key, and a change of settings meanwhile would be sealed away. */
  rotate(options: { readonly sealPlain: boolean }): Promise<RotationReport> {
    return this.#alone(() => this.#rotate(options));
  }

  async #rotate({ sealPlain }: { readonly sealPlain: boolean }): Promise<RotationReport> {
    const { box } = this.#secrets;
    if (box === undefined || box.keyIds().length === 0) throw new AppError('SECRET_KEYS_NONE');
    const isNewKey = box.renew();
    const [keyId = ''] = box.keyIds();
    const resealed = await this.#resealAll(keyId);
    const sealedPlain = sealPlain ? await this.#plain.sealAll() : 0;
    return { ...(await this.status()), isNewKey, resealed, sealedPlain };
  }

  async #resealAll(keyId: string): Promise<number> {
    const rows = await this.#secrets.database.reader
      .selectFrom('v8host_secret')
      .selectAll()
      .where('KeyId', '!=', keyId)
      .execute();
    let resealed = 0;
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      const batch = rows.slice(at, at + BATCH_ROWS);
      resealed += await this.#secrets.database.write(async (db) => {
        let written = 0;
        for (const row of batch) written += await this.#reseal(db, row);
        return written;
      });
    }
    return resealed;
  }

  /** One that somebody changed meanwhile has its new value, sealed with a key of its host: it stays. */
  async #reseal(db: SystemDb, row: SealedRow): Promise<number> {
    const { box } = this.#secrets;
    const opened = openWith(box, placeOf(row), secretOf(row));
    const secret = opened.ok ? box?.seal(placeOf(row), opened.value) : undefined;
    if (secret === undefined) return 0;
    const [result] = await db
      .updateTable('v8host_secret')
      .set({ KeyId: secret.keyId, Sealed: secret.sealed, SealedAt: Date.now() })
      .where('TenantLower', '=', row.TenantLower)
      .where('Name', '=', row.Name)
      .where('Sealed', '=', row.Sealed)
      .execute();
    return Number(result?.numUpdatedRows ?? 0);
  }
}

function placeOf({ TenantLower, Name }: SealedRow): SecretPlace {
  return { tenant: TenantLower, name: Name };
}

function secretOf({ KeyId, Sealed }: SealedRow) {
  return { keyId: KeyId, sealed: Sealed };
}
