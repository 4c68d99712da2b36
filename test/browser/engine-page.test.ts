/** The page of an engine: saving beside others, versions, trials, and what a role is not offered. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ConsoleHost } from '../support/console-host.ts';
import { eventually } from '../support/eventually.ts';

const script = (data: string) => `/**\n * @queue page.orders\n */\nreturn { Code: 1, Data: ${data} };\n`;

describe('the page of an engine', { concurrency: false }, () => {
  let console: ConsoleHost;

  before(async () => {
    console = await ConsoleHost.start();
  });
  after(() => console.close());

  const save = async (key: string, source: string) => {
    const { body } = await console.host.api('PUT', `tenants/demo/engines/${key}`, { source });
    assert.equal(body.Code, 1, body.Msg);
  };
  const sourceOf = async (key: string): Promise<string> =>
    (await console.host.api('GET', `tenants/demo/engines/${key}`)).body.Data.source;

  it('a save over somebody else’s change is refused with a choice, and either text can stay', async () => {
    await save('shared', script('1'));
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('engines/shared');
    await typeData(page, '"mine"');
    await save('shared', script('"theirs"'));
    await page.keyboard.press('Control+S');
    await page.getByRole('alert').getByText('somebody else saved version').waitFor();
    await page.locator('.monaco-diff-editor').getByText('"theirs"').first().waitFor();
    await person.assertUsable('the choice');
    assert.equal(await sourceOf('shared'), script('"theirs"'), 'nothing was saved unasked');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('Saved: the next message runs the new version').waitFor();
    assert.equal(await sourceOf('shared'), script('"mine"'));

    await typeData(page, '"mine again"');
    await save('shared', script('"theirs again"'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Give up mine, take theirs' }).click();
    await page.getByText('somebody else saved version').waitFor({ state: 'detached' });
    await page.locator('.view-lines').first().getByText('"theirs again"').waitFor();
    assert.equal(await sourceOf('shared'), script('"theirs again"'));
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 409/.test(text)),
      [],
    );
  });

  it('what is typed while a save is under way stays, and is saved on top of it', async () => {
    await save('typed', script('1'));
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('engines/typed');
    await typeData(page, '"first"');
    const answers = Promise.withResolvers<void>();
    await page.route('**/engines/typed', async (route) => {
      if (route.request().method() === 'GET') await answers.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+S');
    await page.getByText('Saved: the next message runs the new version').waitFor();
    await typeData(page, '"second"');
    answers.resolve();
    const { version } = (await console.host.api('GET', 'tenants/demo/engines/typed')).body.Data;
    await page.locator('#content .head').getByText(version).waitFor();
    await page.getByText('Saved: the next message runs the new version').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved: the next message runs the new version').waitFor();
    assert.equal(await sourceOf('typed'), script('"second"'));
    assert.deepEqual(person.complaints, []);
  });

  it('completes the tenant’s tables and fields, and marks what is not there, behind a return too', async () => {
    await save('typing', script('1').replace('page.orders', 'page.typing'));
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('engines/typing');
    const suggestion = (name: string) => page.locator('.suggest-widget .monaco-list-row').getByText(name).first();
    await typeLine(page, "var one = V8.FormEngine.GetFormData('");
    await page.keyboard.press('Control+Space');
    await suggestion('shop_stock').waitFor();
    await page.keyboard.press('Escape');
    await typeLine(
      page,
      "var one = V8.FormEngine.GetFormData('shop_stock', { Id: '1' }); if (one.Code === 1) one.Data.",
    );
    await page.keyboard.press('Control+Space');
    await suggestion('Stock').waitFor();
    await page.keyboard.press('Escape');
    const marked = page.locator('.squiggly-error');
    await typeLine(page, "return V8.FormEngine.GetFormData('shop_stock', { Id: '1' });");
    // While a line is being typed there may be several.
    await marked.first().waitFor({ state: 'detached' });
    for (const [wrong, told] of [
      ["return V8.FormEngine.GetFormDate('shop_stock', { Id: '1' });", "Property 'GetFormDate' does not exist"],
      ["return V8.FormEngine.GetFormData('shop_stok', { Id: '1' });", 'Argument of type \'"shop_stok"\''],
    ] as const) {
      await typeLine(page, wrong);
      await marked.first().waitFor();
      await eventually(async () => {
        await page.keyboard.press('F8');
        await page.locator('.marker-widget').getByText(told).waitFor({ timeout: 1_000 });
      });
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(person.complaints, []);
  });

  it('lists the versions, shows what one changed, and goes back by keyboard on a phone', async () => {
    await save('history', script('"first"'));
    await save('history', script('"second"'));
    const person = await console.openAs('developer', { width: 390, locale: 'zh-CN', isDark: true });
    const { page } = person;
    await person.visit('engines/history');
    await page.getByRole('row', { name: '生效中' }).getByRole('button', { name: '改了什么' }).click();
    await page.locator('.monaco-diff-editor').getByText('"second"').first().waitFor();
    await person.assertUsable('the versions');
    await page.getByRole('button', { name: '回退到此版本' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog').filter({ hasText: '回退到版本 1？' });
    await question.getByRole('button', { name: '取消' }).waitFor();
    await person.assertUsable('the question before going back');
    await page.keyboard.press('Enter');
    await page.getByText('回退到 1').waitFor();
    assert.equal(await sourceOf('history'), script('"first"'));
    assert.deepEqual(person.complaints, []);
  });

  it('tries a draft with a sample and with an earlier delivery, and keeps nothing', async () => {
    await save('tried', script('"saved"').replace('page.orders', 'page.tried'));
    const { body } = await console.host.api('POST', 'tenants/demo/queues/page.tried/messages', {
      EventId: 'page-1',
      Message: { Qty: 21 },
    });
    assert.equal(body.Code, 1, body.Msg);
    await eventually(async () => {
      const { Data } = (await console.host.api('GET', 'tenants/demo/events/page-1')).body;
      assert.equal(Data?.attempts.length, 1);
    }, 30_000);
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('engines/tried');
    await typeData(page, 'V8.Param.Message.Message.Qty * 2');
    await page.locator('#input').fill('{"Qty":4}');
    await page.getByRole('button', { name: 'Try with this message' }).click();
    await page.getByText('"Data": 8').waitFor();
    await page.getByText('an earlier delivery').click();
    await page.locator('#trial-delivery').click();
    await page.getByRole('option', { name: 'page-1' }).click();
    await page.getByRole('option', { name: 'page-1' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Try with this delivery' }).click();
    await page.getByText('"Data": 42').waitFor();
    await person.assertUsable('a trial');
    assert.match(await sourceOf('tried'), /"saved"/);
    assert.deepEqual(person.complaints, []);
  });

  it('offers an operator what operators do, and a viewer nothing', async () => {
    const operator = await console.openAs('operator', { width: 1280, locale: 'en-GB' });
    await operator.visit('engines/order-intake');
    await operator.page.getByRole('button', { name: 'Try with this message' }).waitFor();
    for (const name of ['Save', 'Call it', 'Roll back to it']) {
      assert.equal(await operator.page.getByRole('button', { name, exact: true }).count(), 0, name);
    }
    await operator.page.getByRole('button', { name: 'Switch off' }).click();
    await operator.page.getByRole('button', { name: 'Switch on' }).click();
    await operator.page.getByRole('button', { name: 'Switch off' }).waitFor();
    const viewer = await console.openAs('viewer', { width: 1280, locale: 'en-GB' });
    for (const path of ['engines', 'bindings', 'dead-letters', 'tenants', 'devices']) {
      await viewer.visit(path);
      const buttons = await viewer.page.locator('#content').getByRole('button').allTextContents();
      assert.deepEqual(
        buttons.map((text) => text.trim()).filter((text) => text !== 'Refresh'),
        [],
        path,
      );
    }
    for (const path of ['overview', 'engines', 'bindings']) {
      await viewer.visit(path);
      await viewer.page.getByText('always-fails').first().waitFor();
      assert.equal(await viewer.page.getByRole('link', { name: 'always-fails' }).count(), 0, path);
    }
    assert.deepEqual([...operator.complaints, ...viewer.complaints], []);
  });
});

/** Types another result into the editor, in the line that returns it. */
function typeData(page: Page, data: string): Promise<void> {
  return typeLine(page, `return { Code: 1, Data: ${data} };`);
}

/** Types another last line into the editor. */
async function typeLine(page: Page, text: string): Promise<void> {
  const line = page.locator('.monaco-editor .view-line').first();
  await line.waitFor();
  await line.click();
  await page.keyboard.press('Control+Home');
  for (let row = 1; row < 4; row++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText(text);
}
