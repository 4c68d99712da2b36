import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDemoErp } from '../../src/admin/demo-erp.ts';

describe('the ERP stub of the demo', () => {
  it('takes an order once per Idempotency-Key', async () => {
    const server = createDemoErp();
    const post = async (key: string | undefined) => {
      const headers = key === undefined ? {} : { 'idempotency-key': key };
      const response = await server.inject({ method: 'POST', url: '/erp', headers, payload: { OrderId: 'A-1' } });
      assert.equal(response.statusCode, 200);
      return response.json();
    };
    const first = await post('k-1');
    assert.deepEqual(first, { accepted: true, orderId: 'A-1', receipt: 1 });
    assert.deepEqual(await post('k-1'), first);
    assert.equal((await post('k-2')).receipt, 2);
    assert.equal((await post(undefined)).receipt, 3);
    assert.equal((await post(undefined)).receipt, 4);
  });

  it('is away for the first two calls of each event', async () => {
    const server = createDemoErp();
    const statuses = async (eventId: string) => {
      const seen: number[] = [];
      for (let call = 0; call < 4; call++) {
        seen.push((await server.inject({ method: 'POST', url: `/erp/flaky/${eventId}` })).statusCode);
      }
      return seen;
    };
    assert.deepEqual(await statuses('f-1'), [503, 503, 200, 200]);
    assert.deepEqual(await statuses('f-2'), [503, 503, 200, 200]);
  });
});
