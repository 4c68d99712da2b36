import { bigint, createTable, int, key, longText, type TableShape, text } from '../table-definition.ts';
import type { Migration } from './migration.ts';

const user: TableShape = {
  name: 'v8host_user',
  columns: [
    key('Id', 26),
    // Compared without regard to case: Anna and anna are one person.
    { ...text('Account', 64), required: true },
    text('Name', 100),
    key('Role', 20),
    int('Level', 0),
    int('IsHostAdmin', 0),
    int('IsEnable', 1),
    key('PasswordHash', 255),
    bigint('CreatedAt'),
    { name: 'LastLoginAt', type: { kind: 'bigint' } },
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['Account'], unique: true }],
};

const session: TableShape = {
  name: 'v8host_session',
  columns: [key('Id', 64), key('UserId', 26), key('Csrf', 64), bigint('CreatedAt'), bigint('ExpiresAt')],
  primaryKey: ['Id'],
  indexes: [{ columns: ['UserId'] }, { columns: ['ExpiresAt'] }],
};

const apiKey: TableShape = {
  name: 'v8host_api_key',
  columns: [
    key('Id', 26),
    key('Sha256', 64),
    text('Name', 100),
    key('Role', 20),
    longText('Scopes'),
    { name: 'ExpiresAt', type: { kind: 'bigint' } },
    bigint('CreatedAt'),
    text('CreatedBy', 100),
    { name: 'LastUsedAt', type: { kind: 'bigint' } },
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['Sha256'], unique: true }],
};

const signingKey: TableShape = {
  name: 'v8host_signing_key',
  columns: [key('Kid', 26), key('Secret', 64), bigint('CreatedAt')],
  primaryKey: ['Kid'],
};

/** The Id is a ULID, so it tells the order, too. */
const audit: TableShape = {
  name: 'v8host_audit',
  columns: [
    key('Id', 26),
    bigint('At'),
    text('ActorKind', 20),
    text('ActorId', 64),
    text('ActorName', 100),
    text('Address', 64),
    text('Action', 60),
    text('Target', 255),
    longText('BeforeJson'),
    longText('AfterJson'),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['At'] }, { columns: ['Action'] }, { columns: ['Target'] }],
};

/** Who may do what in a tenant, and what was changed by whom. Scripts see none of these tables. */
export const identityTables: Migration = {
  version: 7,
  name: 'identity-tables',
  async apply(db, dialect) {
    for (const shape of [user, session, apiKey, signingKey, audit]) await createTable(db, dialect, shape);
  },
};
