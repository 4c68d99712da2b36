import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLanePool } from '../../src/adapters/process/lane-pool.ts';
import { readTables } from '../../src/app/read-tables.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { parseEngineHeader } from '../../src/core/engine-header.ts';
import type { ErrorRecord } from '../../src/core/errors.ts';
import { isJsonObject, type JsonValue } from '../../src/core/json.ts';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import type { Row } from '../../src/ports/table-store.ts';
import { httpAnswer } from '../support/http-answer.ts';
import { ScriptRun, type ScriptRunOptions } from '../support/script-run.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import type { SqliteTables } from '../support/sqlite-tables.ts';
import { messageParam, runSample, SAMPLE_KEYS, sampleSource, sampleTables, tablesText } from './sample-scripts.ts';

const ERP = 'http://erp.test/in';
const ORDER = { OrderId: 'A-1', Sku: 'P-1', Qty: 2 };

let runner: EngineRunner;
before(async () => {
  runner = await createLanePool({ lanes: 1, rssMb: 300, timezone: 'Asia/Shanghai', log: SILENT_LOG });
});
after(() => runner.close());

/** A shop and what its scripts did to it. */
class Shop {
  readonly tables: SqliteTables;
  readonly sent: { queue: unknown; eventId: unknown; message: JsonValue }[] = [];
  readonly #options: ScriptRunOptions;

  constructor(options: ScriptRunOptions = {}, erpUrl = ERP) {
    this.#options = options;
    this.tables = sampleTables(erpUrl);
  }

  /** Runs a sample and returns its result. */
  async run(key: string, param: JsonValue): Promise<DosResult> {
    const outcome = await this.outcome(key, param);
    if (outcome.kind !== 'returned') throw new Error(JSON.stringify(outcome));
    return JSON.parse(outcome.json) as DosResult;
  }

  async outcome(key: string, param: JsonValue) {
    const run = new ScriptRun({
      tables: this.tables.store,
      sendMessage: async (sent) => {
        this.sent.push({ queue: sent.queueName, eventId: sent.eventId, message: sent.message });
        return { Code: 1, Data: { EventId: String(sent.eventId) } };
      },
      ...this.#options,
    });
    return runSample(runner, key, param, run);
  }

  stockOf(sku: string): unknown {
    return this.tables.rows('shop_stock').find((row) => row.Sku === sku)?.Stock;
  }

  stateOf(orderId: string): unknown {
    return this.tables.rows('shop_order').find((row) => row.OrderId === orderId)?.State;
  }
}

function answering(...answers: readonly { status: number; body?: string }[]): NonNullable<ScriptRunOptions['send']> {
  let call = 0;
  return async () => {
    const { status = 200, body = '' } = answers[Math.min(call++, answers.length - 1)] ?? {};
    return httpAnswer(body, { status });
  };
}

describe('the sample project', () => {
  it('has headers that push accepts, with the queues of the demo', () => {
    const queues: Record<string, readonly string[]> = {};
    for (const key of SAMPLE_KEYS) {
      const header = parseEngineHeader(`${key}.js`, sampleSource(key));
      assert.equal(header.ok, true, JSON.stringify(header));
      if (header.ok) queues[header.value.engineKey] = header.value.queues;
    }
    assert.deepEqual(queues, {
      'always-fails': ['demo.broken'],
      'device-telemetry': [],
      'erp-sync': ['erp.orders'],
      'flaky-twice': ['demo.flaky'],
      'order-chain': ['orders.reserved'],
      'order-intake': [],
      'stock-reserve': ['orders'],
      'stock-show': [],
    });
  });

  it('has tables that push accepts', () => {
    const problems: ErrorRecord[] = [];
    const tables = readTables([{ path: 'tables.json', text: tablesText() }], problems);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      tables.map((table) => table.name),
      ['shop_order', 'shop_stock', 'erp_call', 'device_reading', 'shop_setting'],
    );
  });
});

describe('device-telemetry', () => {
  const reading = (temp: unknown, topic = 'tenant/acme/sensor/m1'): JsonValue => ({
    EventName: 'MessageReceived',
    MQTT: { ClientId: 'm1', Topic: topic, Payload: { Temp: temp as JsonValue } },
  });

  it('keeps a reading, refuses one that is none, and lets other topics and events pass', async () => {
    const shop = new Shop();
    assert.equal((await shop.run('device-telemetry', reading(21.5))).Code, 1);
    assert.equal((await shop.run('device-telemetry', reading('hot'))).Code, 0);
    assert.equal((await shop.run('device-telemetry', reading(200))).Code, 0);
    assert.equal((await shop.run('device-telemetry', reading('x', 'tenant/acme/other'))).Code, 1);
    assert.equal((await shop.run('device-telemetry', { EventName: 'Connected', MQTT: { ClientId: 'm1' } })).Code, 1);
    assert.deepEqual(
      shop.tables.rows('device_reading').map(({ ClientId, Temp }) => [ClientId, Number(Temp)]),
      [['m1', 21.5]],
    );
  });
});

describe('order-intake', () => {
  it('stores a new order and sends it with an EventId of its own', async () => {
    const shop = new Shop();
    const result = await shop.run('order-intake', ORDER);
    assert.equal(result.Code, 1);
    assert.deepEqual(result.Data, { OrderId: 'A-1', EventId: 'order-A-1' });
    assert.equal(shop.stateOf('A-1'), 'new');
    assert.deepEqual(shop.sent, [{ queue: 'orders', eventId: 'order-A-1', message: ORDER }]);
  });

  it('sends the same order again with the same EventId and says so', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    const again = await shop.run('order-intake', { ...ORDER, Qty: '2' });
    assert.equal(again.Code, 1);
    assert.match(String(again.Msg), /known order/);
    assert.deepEqual(shop.sent[1], shop.sent[0]);
    assert.equal(shop.tables.rows('shop_order').length, 1);
  });

  it('refuses another order under the same number', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    assert.match(String((await shop.run('order-intake', { ...ORDER, Qty: 3 })).Msg), /other contents/);
    assert.equal(shop.sent.length, 1);
  });

  it('says which input is wrong and does nothing', async () => {
    const shop = new Shop();
    for (const [param, part] of [
      [{ ...ORDER, OrderId: '' }, /OrderId/],
      [{ ...ORDER, OrderId: 'a b' }, /OrderId/],
      [{ OrderId: 'A-1', Qty: 1 }, /Sku/],
      [{ ...ORDER, Qty: 0 }, /Qty/],
      [{ ...ORDER, Qty: 'two' }, /Qty/],
      [{}, /OrderId/],
    ] as const) {
      const result = await shop.run('order-intake', param);
      assert.equal(result.Code, 0);
      assert.match(String(result.Msg), part);
    }
    assert.deepEqual(shop.tables.rows('shop_order'), []);
    assert.deepEqual(shop.sent, []);
  });

  it('fails when the message cannot be sent, so that the order is rolled back', async () => {
    const refused: DosResult = { Code: 0, Msg: 'full', ReasonCode: 'OUTBOX_FULL' };
    const shop = new Shop({ sendMessage: async () => refused });
    assert.equal((await shop.run('order-intake', ORDER)).Code, 0);
  });
});

describe('stock-reserve', () => {
  it('takes the stock, marks the order and tells the next step', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    const result = await shop.run('stock-reserve', messageParam('order-A-1', ORDER));
    assert.equal(result.Code, 1, String(result.Msg));
    assert.equal(shop.stockOf('P-1'), 98);
    assert.equal(shop.stateOf('A-1'), 'reserved');
    assert.deepEqual(shop.sent[1], { queue: 'orders.reserved', eventId: 'reserved-A-1', message: ORDER });
  });

  it('reads a payload that is JSON text', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    await shop.run('stock-reserve', messageParam('order-A-1', JSON.stringify(ORDER)));
    assert.equal(shop.stockOf('P-1'), 98);
  });

  it('does nothing for an order that is dealt with', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    await shop.run('stock-reserve', messageParam('order-A-1', ORDER));
    assert.equal((await shop.run('stock-reserve', messageParam('order-A-1', ORDER))).Code, 1);
    assert.equal(shop.stockOf('P-1'), 98);
    assert.equal(shop.sent.length, 2);
  });

  it('rejects an order for more than there is, or for an unknown article, without a retry', async () => {
    for (const order of [
      { ...ORDER, Qty: 101 },
      { ...ORDER, Sku: 'P-9' },
    ]) {
      const shop = new Shop();
      await shop.run('order-intake', order);
      assert.equal((await shop.run('stock-reserve', messageParam('order-A-1', order))).Code, 1);
      assert.equal(shop.stateOf('A-1'), 'rejected');
      assert.equal(shop.stockOf('P-1'), 100);
      assert.equal(shop.sent.length, 1);
    }
  });

  it('fails for an order that is not there, to be tried again', async () => {
    assert.equal((await new Shop().run('stock-reserve', messageParam('order-A-1', ORDER))).Code, 0);
  });
});

describe('order-chain', () => {
  it('confirms a reserved order and sends it on to the ERP', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    await shop.run('stock-reserve', messageParam('order-A-1', ORDER));
    assert.equal((await shop.run('order-chain', messageParam('reserved-A-1', ORDER))).Code, 1);
    assert.equal(shop.stateOf('A-1'), 'confirmed');
    assert.deepEqual(shop.sent[2], { queue: 'erp.orders', eventId: 'erp-A-1', message: ORDER });
  });

  it('sends nothing for an order that is not reserved', async () => {
    const shop = new Shop();
    await shop.run('order-intake', ORDER);
    assert.equal((await shop.run('order-chain', messageParam('reserved-A-1', ORDER))).Code, 0);
    assert.equal(shop.sent.length, 1);
  });
});

describe('erp-sync', () => {
  const param = messageParam('erp-A-1', ORDER);

  it('keeps the answer of the ERP', async () => {
    const shop = new Shop({ send: answering({ status: 201, body: '{"accepted":true}' }) });
    assert.equal((await shop.run('erp-sync', param)).Code, 1);
    const [call] = shop.tables.rows('erp_call') as readonly Row[];
    assert.deepEqual(
      [call?.OrderId, call?.EventId, call?.StatusCode, call?.Answer],
      ['A-1', 'erp-A-1', 201, '{"accepted":true}'],
    );
  });

  it('fails with the status when the ERP refuses, and keeps nothing', async () => {
    const shop = new Shop({ send: answering({ status: 500 }) });
    const result = await shop.run('erp-sync', param);
    assert.equal(result.Code, 0);
    assert.match(String(result.Msg), /HTTP 500/);
    assert.deepEqual(shop.tables.rows('erp_call'), []);
  });

  it('says what to set when no ERP is configured', async () => {
    const shop = new Shop({}, '');
    assert.match(String((await shop.run('erp-sync', param)).Msg), /ErpUrl/);
  });
});

describe('flaky-twice', () => {
  it('fails twice and succeeds the third time', async () => {
    const shop = new Shop({ send: answering({ status: 503 }, { status: 503 }, { status: 200, body: 'ok' }) });
    const codes: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      codes.push((await shop.run('flaky-twice', messageParam('flaky 1', { OrderId: 'F-1' }))).Code);
    }
    assert.deepEqual(codes, [0, 0, 1]);
    assert.equal(shop.tables.rows('erp_call').length, 1);
  });

  it('asks the address of its own event', async () => {
    const urls: string[] = [];
    const shop = new Shop({
      send: async (request) => {
        urls.push(request.url);
        return httpAnswer('');
      },
    });
    await shop.run('flaky-twice', messageParam('a/b', null));
    assert.deepEqual(urls, [`${ERP}/flaky/a%2Fb`]);
  });
});

describe('always-fails', () => {
  it('throws with the lines of its own file', async () => {
    const outcome = await new Shop().outcome('always-fails', messageParam('broken-1', { Amount: '12,5' }));
    assert.equal(outcome.kind, 'threw');
    if (outcome.kind !== 'threw') return;
    assert.match(outcome.error.message, /cannot be read.*12,5/);
    assert.match(outcome.error.stack.join('\n'), /readAmount.*always-fails\.js:\d+:\d+/);
    const thrownAt =
      sampleSource('always-fails')
        .split('\n')
        .findIndex((line) => line.includes('throw new Error')) + 1;
    assert.equal(outcome.error.at?.line, thrownAt);
  });
});

describe('stock-show', () => {
  it('shows the stock of an article', async () => {
    const shown = await new Shop().run('stock-show', { Sku: 'P-1' });
    assert.equal(shown.Code, 1);
    assert.equal(isJsonObject(shown.Data) ? shown.Data.Stock : undefined, 100);
  });

  it('answers Code 2 for an unknown article and Code 0 without one', async () => {
    assert.equal((await new Shop().run('stock-show', { Sku: 'P-9' })).Code, 2);
    assert.equal((await new Shop().run('stock-show', {})).Code, 0);
  });
});
