import { MQTT_TABLES } from '../platform-tables.ts';
import { createTable } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/** Tables of the MQTT engine, where they are missing. Those of the original platform are left exactly as they are. */
export const mqttTables: Migration = {
  version: 6,
  name: 'mqtt-tables',
  async apply(db, dialect) {
    for (const shape of MQTT_TABLES) {
      if ((await dialect.readTable(db, shape.name)) === undefined) await createTable(db, dialect, shape);
    }
  },
};
