import { AppError, type Parsed, refuse } from '../../core/errors.ts';
import {
  SEALED_MARK,
  SECRET_COLUMNS,
  type SecretPlace,
  type SettingsRow,
  type UnreadableSecrets,
} from '../../core/sealed-secret.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { Log } from '../../ports/log.ts';
import type { SealedSecret, SecretBox } from '../../ports/secret-box.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { PlatformRow, SystemDb } from './system-tables.ts';

/** A row of `v8host_secret`. */
export interface SealedRow {
  readonly TenantLower: string;
  readonly Name: string;
  readonly KeyId: string;
  readonly Sealed: string;
}

/** Opens the secret of a place whose cell holds the mark. */
export type OpenSecret = (place: SecretPlace) => Parsed<string>;

export interface SealedSecretsParts {
  /** Absent: nothing is sealed. */
  readonly box?: SecretBox | undefined;
  readonly log: Log;
}

/** `v8host_secret`: what stands behind the mark in a column. */
export class SealedSecrets {
  readonly database: SqlDatabase;
  readonly box: SecretBox | undefined;
  readonly #log: Log;
  /** What the log was told already: settings are read every few seconds. */
  readonly #told = new Set<string>();

  constructor(database: SqlDatabase, { box, log }: SealedSecretsParts) {
    this.database = database;
    this.box = box;
    this.#log = log.child('sql.sealed-secrets');
  }

  /**
   * Keeps a secret, inside the caller's transaction; blank takes it away. @returns what its column holds from now on.
   * @throws AppError SECRET_RESERVED for a value that would be taken for the mark.
   */
  async put(db: SystemDb, place: SecretPlace, text: string): Promise<string> {
    const secret = text === '' ? undefined : this.box?.seal(place, text);
    if (secret === undefined && text === SEALED_MARK) throw new AppError('SECRET_RESERVED', { field: place.name });
    await this.remove(db, place);
    if (secret === undefined) return text;
    const { keyId: KeyId, sealed: Sealed } = secret;
    const row = { TenantLower: tenantKey(place.tenant), Name: place.name, KeyId, Sealed };
    await db
      .insertInto('v8host_secret')
      .values({ ...row, SealedAt: Date.now() })
      .execute();
    return SEALED_MARK;
  }

  async remove(db: SystemDb, { tenant, name }: SecretPlace): Promise<void> {
    await db
      .deleteFrom('v8host_secret')
      .where('TenantLower', '=', tenantKey(tenant))
      .where('Name', '=', name)
      .execute();
  }

  /** Keeps the secrets among the columns of a tenant's row. @returns the columns as they are stored. */
  async putColumns(
    db: SystemDb,
    tenant: string,
    values: Readonly<Record<string, string | number>>,
  ): Promise<Record<string, string | number>> {
    const stored = { ...values };
    for (const name of SECRET_COLUMNS) {
      const text = values[name];
      if (text !== undefined) stored[name] = await this.put(db, { tenant, name }, String(text));
    }
    return stored;
  }

  /** Rows of `sys_osclients` with their secrets opened. */
  async openRows(rows: readonly PlatformRow[]): Promise<readonly OpenedRow[]> {
    const isSealed = rows.some((row) => SECRET_COLUMNS.some((name) => row[name] === SEALED_MARK));
    const open = isSealed ? await this.opener() : MISSING;
    return rows.map((row) => openRow(row, open));
  }

  /** Reads what is sealed. What cannot be opened is told to the log once. */
  async opener(): Promise<OpenSecret> {
    const open = openerOf(await this.database.reader.selectFrom('v8host_secret').selectAll().execute(), this.box);
    return (place) => {
      const opened = open(place);
      if (!opened.ok) this.#tell(place, opened.error);
      return opened;
    };
  }

  #tell({ tenant, name }: SecretPlace, { code, params }: { code: AppError['code']; params: AppError['params'] }): void {
    const key = JSON.stringify([tenant, name, code, params.key]);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#log.error('secret.unreadable', { tenantId: tenant, field: name, err: new AppError(code, params) });
  }
}

/** Opens by rows that were read. */
export function openerOf(rows: readonly SealedRow[], box: SecretBox | undefined): OpenSecret {
  const byPlace = new Map(rows.map((row) => [placeKey({ tenant: row.TenantLower, name: row.Name }), row]));
  return (place) => {
    const row = byPlace.get(placeKey(place));
    return row === undefined ? MISSING(place) : openWith(box, place, { keyId: row.KeyId, sealed: row.Sealed });
  };
}

/** @param box absent: this host has no key at all. */
export function openWith(box: SecretBox | undefined, place: SecretPlace, secret: SealedSecret): Parsed<string> {
  const params = { tenant: place.tenant, field: place.name, key: secret.keyId };
  return box === undefined ? refuse('SECRET_KEY_MISSING', params) : box.open(place, secret);
}

/** A mark without its row: the table was restored or edited apart. */
const MISSING: OpenSecret = ({ tenant, name }) => refuse('SECRET_DAMAGED', { tenant, field: name, key: '' });

function placeKey({ tenant, name }: SecretPlace): string {
  return JSON.stringify([tenantKey(tenant), name]);
}

export interface OpenedRow extends Pick<SettingsRow, 'unreadable'> {
  readonly row: PlatformRow;
  readonly unreadable: UnreadableSecrets;
}

/** The row with its secrets; those that cannot be opened are blank, so that nobody takes the mark for one. */
export function openRow(row: PlatformRow, open: OpenSecret): OpenedRow {
  const tenant = String(row.OsClient ?? '').trim();
  const values: Record<string, string> = {};
  const unreadable: Record<string, { code: AppError['code']; params: AppError['params'] }> = {};
  for (const name of SECRET_COLUMNS) {
    if (row[name] !== SEALED_MARK) continue;
    const opened = open({ tenant, name });
    values[name] = opened.ok ? opened.value : '';
    if (!opened.ok) unreadable[name] = opened.error;
  }
  return { row: { ...row, ...values }, unreadable };
}
