/** The console as people use it: Debian's Chromium on a started product, by mouse and by keyboard. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { CONSOLE_DIRECTORY } from '../../src/admin/console-files.ts';
import { ConsolePage, startBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const TOKEN = 'test-token-0123456789abcdef';

describe('the console', { concurrency: false }, () => {
  let host: HostProcess;
  let browser: Browser;
  let base: string;
  const ends: (() => Promise<void> | void)[] = [];

  before(async () => {
    assert.ok(existsSync(CONSOLE_DIRECTORY), 'the console is not built: run npm ci');
    const context = { after: (end: () => Promise<void> | void) => void ends.unshift(end) };
    host = await HostProcess.create(tempDir(context), { demo: true });
    context.after(() => host.kill());
    [browser] = await Promise.all([startBrowser(context), host.start()]);
    base = `http://127.0.0.1:${host.port}`;
    await host.api('POST', 'tenants/demo/queues/demo.broken/messages', {
      EventId: 'broken-1',
      Message: { Amount: '1,5' },
    });
    await host.api('POST', 'tenants/demo/engines/order-intake/run', { OrderId: 'A-1', Sku: 'P-1', Qty: 2 });
    await eventually(async () => {
      const { body } = await host.api('GET', 'tenants/demo/dead-letters');
      assert.equal(body.Data.length, 1);
      assert.equal((await host.api('GET', 'tenants/demo/deliveries?state=done')).body.Data.length > 1, true);
    }, 30_000);
  });

  after(async () => {
    for (const end of ends) await end();
  });

  it('refuses a wrong token in words and forgets it', async () => {
    const person = await ConsolePage.open(browser, base, { width: 1280, locale: 'en-GB' });
    await person.assertUsable('the login page');
    await person.page.getByText('By token').click();
    await person.page.locator('#token').fill('wrong');
    await person.page.keyboard.press('Enter');
    await person.page.getByRole('alert').waitFor();
    assert.equal(await person.page.evaluate('sessionStorage.length'), 0);
  });

  for (const [locale, width, isDark] of [
    ['zh-CN', 1280, false],
    ['en-GB', 390, true],
  ] as const) {
    it(`shows every page usably: ${locale}, ${width} px, ${isDark ? 'dark' : 'light'}`, async () => {
      const person = await ConsolePage.open(browser, base, { width, locale, isDark });
      await person.logIn(TOKEN);
      for (const path of PAGES) {
        await person.visit(path);
        await person.assertUsable(`${path} at ${width} px`);
      }
      assert.deepEqual(person.complaints, []);
    });
  }

  it('a person logs in by account, is known after a reload, and logs out everywhere', async () => {
    const user = { account: 'lin', password: 'a long password', role: 'operator' };
    assert.equal((await host.api('POST', 'tenants/demo/users', user)).body.Code, 1);
    const person = await ConsolePage.open(browser, base, { width: 390, locale: 'zh-CN' });
    const { page } = person;
    await page.locator('#account').fill(user.account);
    await page.locator('#password').fill(user.password);
    await page.keyboard.press('Enter');
    await page.locator('#content h1').waitFor();
    await page.reload();
    await page.locator('#content h1').waitFor();
    await page.getByRole('button', { name: '退出' }).click();
    await page.locator('#account').waitFor();
    await page.reload();
    await page.locator('#account').waitFor();
    assert.deepEqual(person.complaints, []);
  });

  it('a developer writes a handler, is told what is wrong, mends it, tries it, and sends it a message', async () => {
    const person = await ConsolePage.open(browser, base, { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.logIn(TOKEN);
    await person.visit('engines');
    await page.getByRole('textbox', { name: 'Key' }).fill('console-orders');
    await page.keyboard.press('Enter');
    await page.locator('.monaco-editor .view-line').first().waitFor();
    await page.locator('.monaco-editor .view-line').first().click();
    await page.keyboard.press('Control+A');
    // The editor closes the comment by itself.
    await page.keyboard.insertText('/**');
    await page.keyboard.insertText(' @queue console.orders');
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\nreturn { Code: 1, Data: V8.Param.Message.Message.Qty * };');
    await page.keyboard.press('Control+S');
    await page.getByRole('alert').getByText('line 2').waitFor();
    await page.keyboard.press('Shift+Home');
    await page.keyboard.insertText('return { Code: 1, Data: V8.Param.Message.Message.Qty * 2 };');
    await page.keyboard.press('Control+S');
    await page.getByText('Saved: the next message runs the new version').waitFor();
    await page.locator('#input').fill('{"Qty":21}');
    await page.getByRole('button', { name: 'Try with this message' }).click();
    await page.getByText('It would succeed').waitFor();
    await page.getByText('"Data": 42').waitFor();
    await person.visit('bindings');
    await page.getByRole('row', { name: 'console.orders' }).getByRole('button', { name: 'Send' }).click();
    await page.locator('#send-event').fill('sent-by-hand');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByText('Timeline').waitFor();
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('Done: the effect of console-orders').waitFor({ timeout: 1_000 });
    }, 30_000);
    // The browser notes the engine that was not there yet and the refused script, whatever the page does.
    assert.deepEqual(
      person.complaints.filter((text) => !/status of (404|422)/.test(text)),
      [],
    );
  });

  it('a designer binds a queue by a form, is told what is wrong, changes it, switches it off and deletes it', async () => {
    const user = { account: 'designer', password: 'a long password', role: 'designer' };
    assert.equal((await host.api('POST', 'tenants/demo/users', user)).body.Code, 1);
    const person = await ConsolePage.open(browser, base, { width: 390, locale: 'zh-CN' });
    const { page } = person;
    await page.locator('#account').fill(user.account);
    await page.locator('#password').fill(user.password);
    await page.keyboard.press('Enter');
    await page.locator('#content h1').waitFor();
    await person.visit('bindings');
    await page.getByRole('button', { name: '绑定队列' }).click();
    await page.locator('#binding-queue').fill('by.form');
    await page.locator('#binding-engine').click();
    await page.getByRole('option', { name: 'order-intake' }).click();
    await page.getByRole('option', { name: 'order-intake' }).waitFor({ state: 'hidden' });
    await page.locator('#binding-backoff').fill('soon');
    await person.assertUsable('the form of a binding');
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByRole('alert').getByText('Backoff').waitFor();
    await page.locator('#binding-backoff').fill('fixed:5s');
    await page.locator('#binding-retryCount').fill('2');
    await page.getByRole('button', { name: '保存' }).click();
    const row = page.getByRole('row', { name: 'by.form' });
    await row.getByText('2 次，间隔 fixed:5s').waitFor();
    await row.getByRole('button', { name: '修改' }).click();
    await page.locator('#binding-retryCount').fill('3');
    await page.getByRole('button', { name: '保存' }).click();
    await row.getByText('3 次，间隔 fixed:5s').waitFor();
    await row.getByRole('button', { name: '停用' }).click();
    await row.getByText('已停用').waitFor();
    await row.getByRole('button', { name: '删除' }).click();
    const question = page.getByRole('dialog').filter({ hasText: '删除 by.form 的绑定' });
    await question.getByRole('button', { name: '取消' }).click();
    await question.waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: '删除' }).click();
    await question.getByRole('button', { name: '删除' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });

  it('an operator finds why a message failed, tries a corrected one and replays it', async () => {
    const person = await ConsolePage.open(browser, base, { width: 390, locale: 'zh-CN' });
    const { page } = person;
    await person.logIn(TOKEN);
    await person.visit('dead-letters');
    await page.getByRole('link', { name: 'broken-1' }).click();
    await page.getByText('always-fails.js:').first().waitFor();
    await page.locator('#message').fill('{"Amount":"2.5"}');
    await page.getByRole('button', { name: '试运行' }).click();
    await page.getByText('会失败').first().waitFor();
    await person.assertUsable('a trial');
    await page.getByRole('button', { name: '保存修改并重放' }).click();
    await page.getByText('时间线').waitFor();
    await person.assertUsable('the story');
    assert.deepEqual(person.complaints, []);
    // The rows of the story are written in batches.
    await eventually(async () => {
      const story = (await host.api('GET', 'tenants/demo/events/broken-1')).body.Data;
      assert.ok(
        story.attempts.some(({ engineKey }: { engineKey: string }) => engineKey === ''),
        'the deed is told',
      );
    });
  });
});

const PAGES = [
  'overview',
  'engines',
  'engines/order-intake',
  'bindings',
  'devices',
  'tenants',
  'logs',
  'outbox',
  'limits',
  'settings',
  'users',
  'keys',
  'audit',
  'dead-letters',
  'dead-letters/broken-1',
  'deliveries',
  'events/order-A-1',
];
