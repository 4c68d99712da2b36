/** A host that claims an event, says so, and commits when told to: `node mysql-holder-child.ts URL EVENT_ID`. */
import { once } from 'node:events';
import process from 'node:process';
import { MysqlAddress } from '../../../src/adapters/sql/address-mysql.ts';
import { MysqlDatabase } from '../../../src/adapters/sql/database-mysql.ts';
import { coerceError } from '../../../src/core/errors.ts';
import { POOLS, storeOver } from './mysql-place.ts';
import { claimOf, packetOf, set } from './mysql-shop.ts';

const [url = '', eventId = ''] = process.argv.slice(2);
const database = await MysqlDatabase.open(MysqlAddress.parse(url), { pools: POOLS, timeZone: 'Asia/Shanghai' });
const tx = await storeOver(database).begin(1_000);
await tx.claim(claimOf(eventId));
await set(tx, 'a', 1);
process.send?.('claimed');
await once(process, 'message');
const outcome = await tx.commit(packetOf(eventId)).then(
  () => 'committed',
  (error: unknown) => coerceError(error).code,
);
process.send?.(outcome);
process.disconnect?.();
await database.close();
