import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertColumns } from '../../../src/adapters/sql/missing-column.ts';
import { entryColumns } from '../../../src/core/header-entry.ts';

const refused = (column: string) => ({ code: 'COLUMN_MISSING', params: { table: 'sys_apiengine', column } });
const check = (entry: Parameters<typeof entryColumns>[0], columns: readonly string[]) =>
  assertColumns('sys_apiengine', entryColumns(entry), new Set(columns));

it('a setting whose column the platform table lacks is refused and named, one that changes nothing is not', () => {
  assert.throws(() => check({ anonymous: true }, []), refused('AllowAnonymous'));
  assert.throws(() => check({ stopHttp: true }, []), refused('StopHttp'));
  assert.throws(() => check({ roles: ['a'] }, []), refused('ApiRole'));
  assert.throws(() => check({ lock: 'OrderId' }, ['Lock']), refused('LockKey'));
  assert.throws(() => check({ lock: '' }, ['LockKey']), refused('Lock'));
  assert.throws(() => check({ address: '/erp/orders' }, []), refused('ApiAddress'));
  assert.throws(() => check({ response: 'file' }, []), refused('ResponseType'));
  check({ response: 'file' }, ['ResponseType']);
  check({ anonymous: false, stopHttp: false, response: 'auto', lock: '' }, ['Lock']);
});

it('a binding needs the columns of what it sets, and those alone', () => {
  const platform = new Set(['QueueName', 'Type', 'ApiEngineKey', 'FailToReject', 'Count', 'IsEnable']);
  const plain = { QueueName: 'orders', Type: 1, ApiEngineKey: 'a', FailToReject: '是', Count: 2 };
  const unset = { Inbox: 1, LegacyAck: 0, Prefetch: 1, TimeoutSeconds: null, QueueType: null, OrderKey: null };
  assertColumns('diy_queue_receive', { ...plain, ...unset }, platform);
  const set = { Inbox: 0, LegacyAck: 1, Prefetch: 4, TimeoutSeconds: 5, Backoff: 'none', Source: 'push' };
  for (const [column, value] of Object.entries({ ...set, QueueType: 'quorum', OrderKey: 'Sku' })) {
    const row = { ...plain, ...unset, [column]: value };
    const error = { code: 'COLUMN_MISSING', params: { table: 'diy_queue_receive', column } };
    assert.throws(() => assertColumns('diy_queue_receive', row, platform), error);
  }
});
