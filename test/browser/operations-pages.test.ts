/** What operators look at: the log as it grows, the outbox, limits. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConsoleHost } from '../support/console-host.ts';
import { refuseSending } from '../support/failed-outbox.ts';

/** Runs in the page: short words of names of queues and engines that stand on two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll('td .breakable')].flatMap((name) => {
  const broken = [];
  const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const { 0: word, index } of node.textContent.matchAll(/(?<![a-z0-9])[a-z0-9]{1,20}(?![a-z0-9])/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  }
  return broken;
})`;

describe('the pages of operators', { concurrency: false }, () => {
  let console: ConsoleHost;

  before(async () => {
    console = await ConsoleHost.start();
    for (const key of ['speaks', 'whispers']) {
      const source = `console.log('${key} ' + V8.Param.n); console.error('${key} is wrong');\nreturn { Code: 1 };\n`;
      const { body } = await console.host.api('PUT', `tenants/demo/engines/${key}`, { source });
      assert.equal(body.Code, 1, body.Msg);
    }
  });
  after(() => console.close());

  const run = (key: string, n: number) => console.host.api('POST', `tenants/demo/engines/${key}/run`, { n });

  for (const [how, locale, width] of [
    ['a token', 'en-GB', 1280],
    ['a login', 'zh-CN', 390],
  ] as const) {
    it(`the log comes by itself, is paused, and filtered by engine and level: ${how}, ${width} px`, async () => {
      const words = {
        'en-GB': {
          pause: 'Pause',
          resume: 'Go on',
          engine: 'Engine or title',
          find: 'Find',
          level: 'Lowest level',
          errors: 'errors only',
        },
        'zh-CN': {
          pause: '暂停',
          resume: '继续',
          engine: '接口引擎或标题',
          find: '查找',
          level: '最低级别',
          errors: '仅错误',
        },
      }[locale];
      const screen = { width, locale, isDark: width === 390 };
      const person = how === 'a token' ? await console.openAsHost(screen) : await console.openAs('operator', screen);
      const { page } = person;
      const n = width;
      await person.visit('logs');
      await run('speaks', n);
      await page.getByText(`speaks ${n}`).waitFor();
      await page.getByRole('button', { name: words.pause }).click();
      await run('whispers', n);
      await page.getByText(locale === 'en-GB' ? 'paused, 2 new' : '有 2 条').waitFor();
      assert.equal(await page.getByText(`whispers ${n}`).count(), 0);
      await page.getByRole('button', { name: words.resume }).click();
      await page.getByText(`whispers ${n}`).waitFor();
      await page.getByLabel(words.engine).fill('speaks');
      await page.keyboard.press('Enter');
      await page.getByText(`whispers ${n}`).waitFor({ state: 'detached' });
      await page.getByText(`speaks ${n}`).waitFor();
      await page.locator('.el-select').last().click();
      await page.getByRole('option', { name: words.errors }).click();
      await page.getByText(`speaks ${n}`).waitFor({ state: 'detached' });
      await page.getByText('speaks is wrong').first().waitFor();
      await page.getByRole('option', { name: words.errors }).waitFor({ state: 'hidden' });
      await person.assertUsable('the log');
      assert.deepEqual(person.complaints, []);
    });
  }

  it('an operator sends a refused message again and gives another up; a viewer is offered neither', async () => {
    await refuseSending(console.host.dataDir, 9_001, 'one', 'microi.demo.nowhere');
    await refuseSending(console.host.dataDir, 9_002, 'two', 'microi.demo.nowhere');
    const viewer = await console.openAs('viewer', { width: 1280, locale: 'zh-CN' });
    await viewer.visit('outbox');
    await viewer.page.getByRole('link', { name: 'refused-9001' }).waitFor();
    for (const name of ['重新发送', '消息']) {
      assert.equal(await viewer.page.getByRole('button', { name, exact: true }).count(), 0, name);
    }
    assert.equal(await viewer.page.getByRole('link', { name: '日志' }).count(), 0, 'a page that would refuse');
    const person = await console.openAs('operator', { width: 390, locale: 'zh-CN' });
    const { page } = person;
    await person.visit('outbox');
    await page.locator('.el-select').getByText('全部').waitFor();
    await person.assertUsable('the outbox');
    const row = (eventId: string) => page.getByRole('row', { name: eventId });
    await row('refused-9001').getByRole('button', { name: '消息' }).click();
    await page.getByRole('dialog').getByText('"one"').waitFor();
    await person.assertUsable('a message of the outbox');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await row('refused-9001').getByRole('button', { name: '放弃' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog').filter({ hasText: '放弃 refused-9001？' });
    await question.getByRole('button', { name: '取消' }).waitFor();
    await page.keyboard.press('Enter');
    await row('refused-9001').waitFor({ state: 'detached' });
    await row('refused-9002').getByRole('button', { name: '重新发送' }).click();
    await page.getByText('1 条将重新发送').waitFor();
    assert.deepEqual([...person.complaints, ...viewer.complaints], []);
  });

  it('tells why a call failed, which no message started, and leads to its engine', async () => {
    const source = "throw new Error('no such customer');\n";
    assert.equal((await console.host.api('PUT', 'tenants/demo/engines/fails', { source })).body.Code, 1);
    await run('fails', 1);
    const person = await console.openAs('operator', { width: 390, locale: 'en-GB' });
    const { page } = person;
    await person.visit('deliveries');
    assert.equal(await page.title(), 'Deliveries · demo · v8-engine-host');
    const row = page.getByRole('row', { name: 'fails' }).first();
    await row.locator('summary').click();
    await row.getByText('no such customer').last().waitFor();
    await person.assertUsable('why a call failed');
    await row.getByRole('link', { name: 'fails' }).click();
    await page.getByRole('heading', { name: 'fails' }).waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^operator-\d+ · operator$/)
      .waitFor();
    assert.deepEqual(person.complaints, []);
  });

  it('a line of a name ends behind a separator, on a phone and beside a menu, and nothing is pushed off the screen', async () => {
    const engineKey = 'readsthermometers';
    const source = 'return { Code: 1 };\n';
    assert.equal((await console.host.api('PUT', `tenants/demo/engines/${engineKey}`, { source })).body.Code, 1);
    const bind = async (queue: string) => {
      const made = await console.host.api('POST', 'tenants/demo/bindings', { queue, engineKey });
      assert.equal(made.body.Code, 1, made.body.Msg);
    };
    const people = await Promise.all(
      (
        [
          ['zh-CN', 1280],
          ['en-GB', 1280],
          ['en-GB', 800],
          ['zh-CN', 390],
        ] as const
      ).map(async ([locale, width]) => ({ width, person: await console.openAsHost({ width, locale }) })),
    );
    // The demonstration has orders.reserved, alone with short names: a longer one makes room for it.
    for (const more of ['orders.reserved', 'factory.line_7.temperature', 'x'.repeat(120)]) {
      if (more !== 'orders.reserved') await bind(more);
      for (const { width, person } of people) {
        for (const path of ['bindings', 'overview']) {
          await person.visit(path);
          await person.page.getByText(more).first().waitFor();
          await person.assertUsable(`${path} with ${more} at ${width} px`);
          if (width !== 800) assert.deepEqual(await person.page.evaluate(BROKEN_WORDS), [], `${path} at ${width} px`);
        }
      }
    }
    for (const { person } of people) assert.deepEqual(person.complaints, []);
  });

  it('no link that a viewer sees leads to a refusal', { timeout: 120_000 }, async () => {
    const { body } = await console.host.api('POST', 'tenants/demo/queues/demo.broken/messages', { Message: {} });
    assert.equal(body.Code, 1, body.Msg);
    const person = await console.openAs('viewer', { width: 1280, locale: 'en-GB' });
    const linksOf = () =>
      person.page
        .locator('a[href^="#/t/demo/"]')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    await person.visit('overview');
    const seen = new Set<string>();
    const open = await linksOf();
    assert.ok(open.length > 5);
    for (let href = open.pop(); href !== undefined; href = open.pop()) {
      // One of each kind: two stories are the same page.
      const kind = href.replace(/\?.*/, '').split('/').slice(0, 4).join('/') + String(href.split('/').length);
      if (seen.has(kind)) continue;
      seen.add(kind);
      await person.visit(href.slice('#/t/demo/'.length));
      assert.equal(await person.page.getByRole('alert').getByRole('button', { name: 'Retry' }).count(), 0, href);
      open.push(...(await linksOf()));
    }
    assert.ok(seen.size >= 8, [...seen].join());
    assert.deepEqual(person.complaints, []);
  });

  it('shows the limits of each engine', async () => {
    const person = await console.openAs('viewer', { width: 390, locale: 'en-GB' });
    await person.visit('limits');
    await person.page.getByRole('row', { name: 'order-intake' }).getByText('60 s').waitFor();
    await person.assertUsable('the limits');
    assert.deepEqual(person.complaints, []);
  });

  it('the log goes on after the host was away, each line once', async () => {
    const person = await console.openAsHost({ width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('logs');
    await run('speaks', 71);
    await page.getByText('speaks 71').waitFor();
    await page.getByRole('columnheader', { name: 'When (Asia/Shanghai)' }).waitFor();
    await console.host.kill();
    await page.getByText('The connection broke').waitFor();
    await console.host.start();
    await run('speaks', 72);
    await page.getByText('speaks 72').waitFor();
    assert.equal(await page.getByText('speaks 71').count(), 1);
    // The browser notes the connection that broke and those that were refused, whatever the page does.
    assert.deepEqual(
      person.complaints.filter((text) => !/net::ERR_/.test(text)),
      [],
    );
  });
});
