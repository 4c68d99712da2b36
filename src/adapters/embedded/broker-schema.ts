import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';

/** Version of the tables below, kept per component because `host.db` has several owners. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS mqtt_schema (Version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS mqtt_session (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    ExpirySeconds INTEGER,
    OfflineSince INTEGER,
    Subscriptions TEXT NOT NULL,
    PRIMARY KEY (Tenant, ClientId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_message (
    Seq INTEGER PRIMARY KEY,
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    Topic TEXT NOT NULL,
    Head TEXT NOT NULL,
    Payload BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS mqtt_message_by_session ON mqtt_message (Tenant, ClientId, Seq);
  CREATE TABLE IF NOT EXISTS mqtt_received (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    PacketId INTEGER NOT NULL,
    PRIMARY KEY (Tenant, ClientId, PacketId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_flight (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    PacketId INTEGER NOT NULL,
    Seq INTEGER,
    PRIMARY KEY (Tenant, ClientId, PacketId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_retained (
    Tenant TEXT NOT NULL,
    Topic TEXT NOT NULL,
    Head TEXT NOT NULL,
    Payload BLOB NOT NULL,
    PRIMARY KEY (Tenant, Topic)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_will (
    Tenant TEXT NOT NULL,
    ClientId TEXT NOT NULL,
    Packed BLOB NOT NULL,
    PRIMARY KEY (Tenant, ClientId)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mqtt_downlink (
    Tenant TEXT NOT NULL,
    Id TEXT NOT NULL,
    Sessions INTEGER NOT NULL,
    SentAt INTEGER NOT NULL,
    PRIMARY KEY (Tenant, Id)
  ) WITHOUT ROWID;
`;

/** What `EmbeddedBrokerStore` writes, by the name of its method. */
export const STATEMENTS = {
  saveSession: `INSERT INTO mqtt_session VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    ExpirySeconds = excluded.ExpirySeconds, OfflineSince = excluded.OfflineSince, Subscriptions = excluded.Subscriptions`,
  dropSession: 'DELETE FROM mqtt_session WHERE Tenant = ? AND ClientId = ?',
  dropMessages: 'DELETE FROM mqtt_message WHERE Tenant = ? AND ClientId = ?',
  dropAllReceived: 'DELETE FROM mqtt_received WHERE Tenant = ? AND ClientId = ?',
  addMessage: 'INSERT INTO mqtt_message VALUES (?, ?, ?, ?, ?, ?)',
  dropMessage: 'DELETE FROM mqtt_message WHERE Seq = ?',
  addReceived: 'INSERT OR IGNORE INTO mqtt_received VALUES (?, ?, ?)',
  dropReceived: 'DELETE FROM mqtt_received WHERE Tenant = ? AND ClientId = ? AND PacketId = ?',
  dropAllFlights: 'DELETE FROM mqtt_flight WHERE Tenant = ? AND ClientId = ?',
  saveFlight: 'INSERT INTO mqtt_flight VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET Seq = excluded.Seq',
  dropFlight: 'DELETE FROM mqtt_flight WHERE Tenant = ? AND ClientId = ? AND PacketId = ?',
  saveRetained: `INSERT INTO mqtt_retained VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    Head = excluded.Head, Payload = excluded.Payload`,
  dropRetained: 'DELETE FROM mqtt_retained WHERE Tenant = ? AND Topic = ?',
  saveWill: 'INSERT OR REPLACE INTO mqtt_will VALUES (?, ?, ?)',
  dropWill: 'DELETE FROM mqtt_will WHERE Tenant = ? AND ClientId = ?',
  saveDownlink: 'INSERT OR REPLACE INTO mqtt_downlink VALUES (?, ?, ?, ?)',
  dropDownlink: 'DELETE FROM mqtt_downlink WHERE Tenant = ? AND Id = ?',
} as const;

/** Makes the tables that are not there. @throws AppError SCHEMA_NEWER. */
export function prepareBrokerSchema(db: DatabaseSync): void {
  db.exec(SCHEMA);
  const found = db.prepare('SELECT max(Version) AS Version FROM mqtt_schema').get()?.Version;
  if (typeof found === 'number' && found > SCHEMA_VERSION) {
    throw new AppError('SCHEMA_NEWER', { found, known: SCHEMA_VERSION });
  }
  if (found === null) db.prepare('INSERT INTO mqtt_schema (Version) VALUES (?)').run(SCHEMA_VERSION);
}
