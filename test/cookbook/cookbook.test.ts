/** Every recipe of docs/cookbook.md on a real host, as it stands on the page; devices are in cookbook-devices.test.ts. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { openEntry, run } from '../patterns/pattern-host.ts';
import { eventually } from '../support/eventually.ts';
import { type Cookbook, openCookbook } from './cookbook-host.ts';
import { codeOf, readCookbook } from './cookbook-page.ts';

const LIMIT = { timeout: 180_000 };
/** Of an administrator: calls engines that not everybody may call. */
const KEY = {
  tenant: 'demo',
  role: 'admin',
  sha256: createHash('sha256').update('token-of-admin').digest('hex'),
  expiresAt: undefined,
} as const;
const ok = (value: unknown) => ({ body: JSON.stringify(value) });

test('both languages show the same twenty recipes', () => {
  const [en, zh] = [readCookbook('cookbook.md'), readCookbook('cookbook.zh-CN.md')];
  assert.deepEqual(Object.keys(zh.scripts), Object.keys(en.scripts));
  for (const [name, script] of Object.entries(en.scripts)) {
    assert.equal(codeOf(zh.scripts[name] ?? ''), codeOf(script), name);
  }
  assert.deepEqual(zh.tables, en.tables);
  assert.equal(zh.globalCode, en.globalCode);
});

for (const kind of ['SQLite', 'MariaDB'] as const) {
  test(`the recipes on ${kind}`, LIMIT, async (t) => {
    const book = await openCookbook(t, kind);
    for (const [name, recipe] of Object.entries(RECIPES)) {
      await t.test(name, LIMIT, (subtest) => recipe(book, subtest));
    }
  });
}

/** The rows of a table as the columns that matter. */
async function rows(book: Cookbook, table: string, ...columns: readonly string[]): Promise<string[]> {
  const found = await book.host.rows(table);
  return found.map((row) => columns.map((column) => row[column] ?? '').join(' ')).sort();
}

/** Waits until an event has an attempt that ended so. */
async function ends(book: Cookbook, eventId: string, verdict: string): Promise<void> {
  await eventually(async () => {
    const { attempts } = await book.host.host.services.story('demo', eventId);
    const told = attempts.map((each) => `${each.verdict} ${each.message}`);
    assert.ok(
      attempts.some((each) => each.verdict === verdict),
      `${eventId} is not ${verdict}: ${told.join(', ')}`,
    );
  }, 30_000);
}

async function order(book: Cookbook, OrderNo: string, more: Record<string, string | number> = {}): Promise<void> {
  await book.host.store.tables.insert('sales_order', { Id: OrderNo, OrderNo, State: 'new', IsDeleted: 0, ...more });
}

const stateOf = async (book: Cookbook, no: string) =>
  (await book.host.rows('sales_order')).find(({ OrderNo }) => OrderNo === no);

const RECIPES: Readonly<Record<string, (book: Cookbook, t: TestContext) => Promise<void>>> = {
  '1: stock falls once for an event, and never below nothing': async (book) => {
    for (const _ of ['once', 'again']) await book.host.send('stock.out', 'stock-1', { Sku: 'P-1', Qty: 2 });
    await ends(book, 'stock-1', 'done');
    await book.host.send('stock.out', 'stock-2', { Sku: 'P-1', Qty: 8 });
    await ends(book, 'stock-2', 'done');
    assert.deepEqual(await rows(book, 'stock_item', 'Sku', 'Stock'), ['P-1 0']);
    await book.host.send('stock.out', 'stock-3', { Sku: 'P-1', Qty: 1 });
    await ends(book, 'stock-3', 'retry');
    assert.deepEqual(await rows(book, 'stock_item', 'Sku', 'Stock'), ['P-1 0']);
  },

  '2 and 6: a payment counts once, and three queues hear of it': async (book, t) => {
    await order(book, 'A-2', { Amount: 25.5 });
    const ask = openEntry(t, book.host);
    const call = (Amount: string, secret = 'pay-secret') => {
      const Sign = createHmac('sha256', secret).update(`A-2|T-9|${Amount}`).digest('base64');
      const payload = { OrderNo: 'A-2', TradeNo: 'T-9', Amount, Sign };
      return ask({ method: 'POST', url: '/apiengine/pay-callback', payload });
    };
    assert.deepEqual((await call('25.50', 'another')).json(), { Code: 0, Msg: 'bad signature' });
    assert.deepEqual((await call('1.00')).json(), { Code: 0, Msg: 'another amount' });
    for (const _ of ['once', 'again']) assert.equal((await call('25.50')).body, 'success');
    assert.equal((await stateOf(book, 'A-2'))?.State, 'paid');
    await ends(book, 'paid-A-2', 'done');
    await book.host.push({
      'note.js': `/**\n * @queue ship\n * @queue invoice\n * @queue points\n */
return V8.FormEngine.AddFormData('customer', { CustomerNo: V8.Param.EventId, Name: 'noted' });`,
    });
    await eventually(async () => {
      assert.deepEqual(
        (await rows(book, 'customer', 'CustomerNo')).filter((no) => no.endsWith('A-2')),
        ['invoice-A-2', 'points-A-2', 'ship-A-2'],
      );
    }, 30_000);
  },

  '3: an ERP that is away is asked again with the same key; what it refuses is noted': async (book) => {
    await book.host.store.tables.insert('store_setting', { Id: 'erp', Name: 'ErpUrl', Value: book.url, IsDeleted: 0 });
    for (const no of ['A-3', 'B-3']) await order(book, no);
    let tries = 0;
    book.answer(({ body }) => {
      if (body.includes('B-3')) return { status: 422, body: 'no' };
      tries += 1;
      return tries === 1 ? { status: 503, body: '' } : ok({ No: 'E-77' });
    });
    for (const no of ['A-3', 'B-3']) await book.host.send('erp.push', `erp-${no}`, { OrderNo: no });
    await ends(book, 'erp-A-3', 'done');
    await ends(book, 'erp-B-3', 'done');
    const row = await stateOf(book, 'A-3');
    assert.deepEqual([row?.State, row?.ErpNo], ['in-erp', 'E-77']);
    assert.equal((await stateOf(book, 'B-3'))?.State, 'erp-refused');
    const keys = book.calls.filter(({ body }) => body.includes('A-3')).map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 2);
    assert.equal(new Set(keys).size, 1);
  },

  '4: an alarm opens once, tells once, and closes when it is cool again': async (book) => {
    const read = async (n: number, Temp: number) => {
      await book.host.send('telemetry', `t-${n}`, { ClientId: 'd-4', Payload: { Temp } });
      await ends(book, `t-${n}`, 'done');
    };
    await read(1, 90);
    await read(2, 95);
    await read(3, 77);
    assert.deepEqual(await rows(book, 'device_alarm', 'DeviceNo', 'Temp', 'State'), ['d-4 90 open']);
    await read(4, 60);
    assert.deepEqual(await rows(book, 'device_alarm', 'DeviceNo', 'Temp', 'State'), ['d-4 90 closed']);
    assert.equal((await rows(book, 'sensor_reading', 'Temp')).length, 4);
    await book.host.push({ 'hear.js': '/**\n * @queue alarm.notify\n */\nreturn { Code: 1 };' });
    await ends(book, 'alarm-t-1', 'done');
  },

  '7: a trip whose hotel is refused gives its flight back, however often that fails': async (book) => {
    let undone = 0;
    book.answer(({ verb, path }) => {
      if (verb === 'DELETE') {
        undone += 1;
        return undone === 1 ? { status: 500, body: '' } : ok({});
      }
      return path === '/flights' ? ok({ No: 'F-1' }) : { status: 409, body: 'full' };
    });
    await book.host.send('trip.book', 'trip-1', { TripNo: 'T-1', Url: book.url });
    await ends(book, 'undo-T-1', 'done');
    assert.deepEqual(await rows(book, 'trip', 'TripNo', 'State', 'FlightNo'), ['T-1 cancelled F-1']);
    assert.deepEqual(
      book.calls.filter(({ verb }) => verb === 'DELETE').map(({ path }) => path),
      ['/flights/F-1', '/flights/F-1'],
    );
  },

  '8: a parcel is looked at again until it is there': async (book) => {
    await order(book, 'A-8');
    let looks = 0;
    book.answer(() => {
      looks += 1;
      return ok({ State: looks === 1 ? 'on its way' : 'arrived' });
    });
    await book.host.send('parcel.watch', 'parcel-8', { OrderNo: 'A-8', Url: `${book.url}/parcels/8` });
    await ends(book, 'parcel-8', 'done');
    assert.equal((await stateOf(book, 'A-8'))?.State, 'arrived');
  },

  '9: the moves of an account keep their order': async (book) => {
    for (const [AccountNo, steps] of [
      ['K-1', 'abcde'],
      ['K-2', 'xyz'],
    ] as const) {
      for (const Step of steps) {
        await book.host.send('account.moves', `move-${Step}`, { AccountNo, Amount: 10, Step });
      }
    }
    await ends(book, 'move-e', 'done');
    await ends(book, 'move-z', 'done');
    assert.deepEqual(await rows(book, 'account', 'AccountNo', 'Balance', 'Trail'), ['K-1 150 abcde', 'K-2 130 xyz']);
  },

  '10: the partner can check the signature': async (book) => {
    book.answer(() => ok({}));
    await book.host.send('webhook', 'hook-1', { Url: `${book.url}/hook`, Kind: 'paid', Data: { No: 'A-1' } });
    await ends(book, 'hook-1', 'done');
    const [call] = book.calls;
    const signed = `${call?.headers['x-time']}.${call?.body}`;
    assert.equal(call?.headers['x-signature'], createHmac('sha256', 'hook-secret').update(signed).digest('hex'));
    assert.deepEqual(JSON.parse(call?.body ?? ''), { Id: 'hook-1', Kind: 'paid', Data: { No: 'A-1' } });
  },

  '11: an import goes on page by page, and a repeated job repeats nothing': async (book) => {
    const pages = [[{ No: 'C-1', Name: 'Li', City: '宁波' }], [{ No: 'C-2', Name: 'Wang', City: '杭州' }], []];
    book.answer(({ path }) => ok(pages[Number(new URL(path, book.url).searchParams.get('page')) - 1]));
    const job = { Job: 'import-1', Url: `${book.url}/customers`, Page: 1 };
    await book.host.send('customers.import', 'import-1-page-1', job);
    await ends(book, 'import-1-page-3', 'done');
    await book.host.send('customers.import', 'import-1-page-1', job);
    await ends(book, 'import-1-page-1', 'duplicate');
    const found = (await rows(book, 'customer', 'CustomerNo', 'City')).filter((row) => row.startsWith('C-'));
    assert.deepEqual(found, ['C-1 宁波', 'C-2 杭州']);
  },

  '12: sales by article, the largest first': async (book) => {
    for (const [no, Sku, Amount] of [
      ['S-1', 'P-1', 10],
      ['S-2', 'P-2', 30],
      ['S-3', 'P-1', 5.5],
      ['S-4', 'P-1', 99],
    ] as const) {
      await order(book, no, { Sku, Amount, State: 'sold', CreateTime: `202${no === 'S-4' ? 5 : 6}-02-01 10:00:00` });
    }
    const report = await run(book.host, 'sales-report', { State: 'sold', From: '2026-01-01', To: '2027-01-01' });
    const told = report.Data.map((row: Record<string, unknown>) => [row.Sku, Number(row.Orders), Number(row.Total)]);
    assert.deepEqual(told, [
      ['P-2', 1, 30],
      ['P-1', 2, 15.5],
    ]);
  },

  '13: of calls at once one asks for the rate': async (book) => {
    book.answer(() => ok({ Rate: 7.1 }));
    const ask = () => run(book.host, 'rate-of-day', { Currency: 'USD', Url: `${book.url}/rates` });
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.deepEqual(
      answers,
      answers.map(() => ({ Code: 1, Data: { Rate: 7.1 } })),
    );
    assert.equal(book.calls.length, 1);
  },

  '14: a CSV file comes in whole or not at all, and goes out again': async (book, t) => {
    const ask = openEntry(t, book.host, [KEY]);
    const headers = { osclient: 'demo', authorization: 'Bearer token-of-admin' };
    const upload = async (text: string) => {
      const form = new FormData();
      form.append('file', new File([text], 'customers.csv'));
      const request = new Request('http://x', { method: 'POST', body: form });
      const type = String(request.headers.get('content-type'));
      const payload = Buffer.from(await request.arrayBuffer());
      const url = '/apiengine/csv-in';
      return (await ask({ method: 'POST', url, headers: { ...headers, 'content-type': type }, payload })).json();
    };
    const wrong = await upload('No,Name,City\nF-1,Li,Ningbo\n,nobody,nowhere\n');
    assert.deepEqual(wrong, { Code: 0, Msg: 'customers.csv: line 3 is wrong' });
    const right = await upload('No,Name,City\r\nF-1,"Li, ""the\nfirst""",宁波\r\nF-2,=1+1,Hangzhou\r\n');
    assert.equal(right.Code, 1, right.Msg);
    const file = await ask({ method: 'GET', url: '/apiengine/csv-out', headers });
    assert.match(String(file.headers['content-disposition']), /customers\.csv/);
    assert.match(file.body, /"F-1","Li, ""the\nfirst""","宁波"\r\n"F-2","'=1\+1","Hangzhou"\r\n/);
  },

  '15: what no try mends goes to people, what lacks something is replayed': async (book) => {
    await book.host.send('prices', 'price-1', { Sku: 'P-1', Price: 'cheap' });
    await ends(book, 'price-1', 'done');
    assert.deepEqual(await rows(book, 'refused_message', 'EventId', 'Reason'), [
      'price-1 Price is no number of 0 or more',
    ]);
    await book.host.send('prices', 'price-2', { Sku: 'P-9', Price: 4.5 });
    await ends(book, 'price-2', 'dead');
    await book.host.store.tables.insert('stock_item', { Id: 'p9', Sku: 'P-9', Stock: 0, IsDeleted: 0 });
    const replayed = await book.host.host.services.replayDeadLetters('demo', { queue: 'prices' }, 'en');
    assert.equal(replayed.replayed.length, 1);
    await ends(book, 'price-2', 'done');
    assert.ok((await rows(book, 'stock_item', 'Sku', 'Price')).includes('P-9 4.5'));
  },

  '17: an order that is not closed sends nothing, and another tenant’s queue is refused': async (book) => {
    await order(book, 'A-17', { State: 'arrived' });
    const close = (OrderNo: string, Queue?: string) =>
      run(book.host, 'order-close', Queue === undefined ? { OrderNo } : { OrderNo, Queue });
    const foreign = await close('A-17', 'microi.other.orders');
    assert.deepEqual([foreign.Code, foreign.ReasonCode], [0, 'QUEUE_FOREIGN']);
    assert.equal((await stateOf(book, 'A-17'))?.State, 'arrived');
    assert.deepEqual(await close('none'), { Code: 0, Msg: 'order none has not arrived' });
    assert.deepEqual(await close('A-17'), { Code: 1, Data: { EventId: 'closed-A-17' } });
    await book.host.push({
      'closed.js': `/**\n * @queue order.closed\n */
return V8.FormEngine.AddFormData('trip', { TripNo: V8.Param.EventId, State: 'closed' });`,
    });
    await ends(book, 'closed-A-17', 'done');
    assert.deepEqual(
      (await rows(book, 'trip', 'TripNo')).filter((no) => no.startsWith('closed-')),
      ['closed-A-17'],
    );
  },

  '18: functions of the whole tenant': async (book) => {
    assert.deepEqual(await run(book.host, 'shop-hours'), { Code: 1, Data: '9:00-18:00' });
  },

  '19: a page at an address of its own, with what strangers wrote escaped': async (book, t) => {
    await order(book, '<b>1', { State: 'new & good' });
    const ask = openEntry(t, book.host);
    const page = await ask({ method: 'GET', url: '/shop/order?no=%3Cb%3E1' });
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(page.body, '<h1>Order &#60;b&#62;1</h1><p>new &#38; good</p>');
    assert.equal((await ask({ method: 'GET', url: '/shop/order' })).body, '<h1>No such order</h1>');
  },

  '20: a document and a row of another database, once each': async (book) => {
    for (const _ of ['once', 'again']) await book.host.send('audit', 'audit-1', { Who: 'lin', What: 'login' });
    await ends(book, 'audit-1', 'done');
    await book.host.push({
      'look.js': `var trail = V8.MongoDb.GetTableData({ DbName: 'audit', TableName: 'trail_' + DateNow('yyyy_MM') });
return { Code: 1, Data: [trail.DataCount, trail.Data[0].Who, V8.Dbs.archive.FromSql('select count(*) from trail').ToInt()] };`,
    });
    assert.deepEqual((await run(book.host, 'look')).Data, [1, 'lin', 1]);
  },
};
