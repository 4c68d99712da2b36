/** Which topics go into which queue, in any dialect. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditEntry } from '../../src/core/audit-entry.ts';
import { MAX_TOPIC_BINDINGS } from '../../src/core/topic-binding.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

const ORIGIN = { by: { kind: 'user', id: 'u1', name: 'lin', level: 1 }, address: '192.0.2.7' } as const;
const columns = (filter: string) => ({ TopicFilter: filter, QueueName: 'readings', EventIdPath: 'id', IsEnable: 1 });
const audit = (action: string) => auditEntry(ORIGIN, action, 'sensor/+');

export function topicBindingContract(open: OpenTenantStore): void {
  describe('bindings of topics', () => {
    it('are added, changed and removed with their entries in the log of changes, the oldest first', async (t) => {
      const { store } = await open(t);
      const { topicBindings } = store;
      assert.deepEqual(await topicBindings.list(), []);
      const first = await topicBindings.add(columns('sensor/+/温度'), audit('added'));
      const second = await topicBindings.add(columns('#'), audit('added'));
      await topicBindings.change(first, { IsEnable: 0, EventIdPath: '' }, audit('changed'));
      const rows = await topicBindings.list();
      assert.deepEqual(
        rows.map(({ id, row }) => [id, row.TopicFilter, row.QueueName, row.EventIdPath, Number(row.IsEnable)]),
        [
          [first, 'sensor/+/温度', 'readings', '', 0],
          [second, '#', 'readings', 'id', 1],
        ],
      );
      await topicBindings.remove(first, audit('removed'));
      assert.deepEqual(
        (await topicBindings.list()).map(({ id }) => id),
        [second],
      );
      const entries = await store.identity.audit.list({ target: 'sensor/+', limit: 10 });
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['removed', 'changed', 'added', 'added'],
      );
    });

    it('are read to the limit, whatever a script wrote', async (t) => {
      const { store } = await open(t);
      const rows = Array.from({ length: MAX_TOPIC_BINDINGS + 1 }, (_, n) => ({ Id: `r${n}`, ...columns(`x/${n}`) }));
      for (const row of rows) await store.tables.insert('mci_mqtt_binding', row);
      assert.equal((await store.topicBindings.list()).length, MAX_TOPIC_BINDINGS);
    });
  });
}
