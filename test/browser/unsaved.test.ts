/** What is typed and not saved: kept when the language changes, and given up only by those who say so. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Dialog, Page } from 'playwright-core';
import { ConsoleHost } from '../support/console-host.ts';
import { eventually } from '../support/eventually.ts';

describe('what is not saved', { concurrency: false }, () => {
  let console: ConsoleHost;

  before(async () => {
    console = await ConsoleHost.start();
    for (const key of ['left', 'right']) {
      const source = `return { Code: 1, Data: '${key}' };\n`;
      const { body } = await console.host.api('PUT', `tenants/demo/engines/${key}`, { source });
      assert.equal(body.Code, 1, body.Msg);
    }
  });
  after(() => console.close());

  const go = (page: Page, path: string) => page.evaluate(`location.hash = '#/t/demo/${path}'`);

  it('a script stays when the language changes, and for those who do not want to leave', async () => {
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('engines/left');
    await page.locator('.view-lines').getByText("'left'").waitFor();
    await page.locator('.monaco-editor .view-line').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText("return 'not saved';");
    const typed = page.locator('.view-lines').getByText("'not saved'");
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByText('有未保存的修改').waitFor();
    await typed.waitFor();
    await page.getByRole('button', { name: 'English' }).click();

    const stay = answerDialogs(page, (dialog) => dialog.dismiss());
    await go(page, 'engines/right');
    await eventually(() => assert.deepEqual(stay.asked, ['Changes are not saved. Leave all the same?']));
    await eventually(() => assert.match(page.url(), /engines\/left$/));
    await page.getByRole('link', { name: 'Overview' }).click();
    await eventually(() => assert.equal(stay.asked.length, 2));
    await page.getByRole('button', { name: 'Log out' }).click();
    await eventually(() => assert.equal(stay.asked.length, 3));
    await page.evaluate('setTimeout(() => location.reload())');
    await eventually(() => assert.equal(stay.kinds.at(-1), 'beforeunload'));
    await typed.waitFor();
    stay.end();

    const leave = answerDialogs(page, (dialog) => dialog.accept());
    await go(page, 'engines/right');
    await page.locator('.view-lines').getByText("'right'").waitFor();
    await go(page, 'engines/left');
    await page.locator('.view-lines').getByText("'left'").waitFor();
    assert.equal(leave.asked.length, 1, 'what was given up is not asked about again');
    assert.deepEqual(person.complaints, []);
  });

  it('a script stays when the login ends under way, and is saved after a new one by the same person alone', async () => {
    const source = "return 'stored';\n";
    assert.equal((await console.host.api('PUT', 'tenants/demo/engines/kept', { source })).body.Code, 1);
    const { person, account, password } = await console.invite('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    const logIn = async (name: string, word: string): Promise<void> => {
      await page.locator('#account').fill(name);
      await page.locator('#password').fill(word);
      await page.keyboard.press('Enter');
    };
    const type = async (text: string): Promise<void> => {
      await page.locator('.monaco-editor .view-line').first().click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
    };
    const endLogins = async (): Promise<void> => {
      const { body } = await console.host.api('GET', 'tenants/demo/users');
      const { id } = (body.Data as { account: string; id: string }[]).find((user) => user.account === account) ?? {};
      assert.equal((await console.host.api('DELETE', `tenants/demo/users/${id}/sessions`)).body.Code, 1);
    };
    await logIn(account, password);
    await page.locator('#content h1').waitFor();
    await person.visit('engines/kept');
    await page.locator('.view-lines').getByText('stored').waitFor();
    await type("return 'typed before the end';");
    const typed = page.locator('.view-lines').getByText('typed before the end');
    await endLogins();
    await page.getByRole('button', { name: 'Save' }).click();
    const question = page.getByRole('dialog', { name: 'The login has ended' });
    await question.waitFor();
    await logIn(account, 'not the password');
    await question.getByRole('alert').waitFor();
    await typed.waitFor();
    await logIn(account, password);
    await question.waitFor({ state: 'hidden' });
    await typed.waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => {
      const { body } = await console.host.api('GET', 'tenants/demo/engines/kept');
      assert.equal((body.Data as { source?: string } | null)?.source, "return 'typed before the end';");
    });

    await type("return 'secret of one person';");
    await endLogins();
    await page.getByRole('button', { name: 'Save' }).click();
    await question.waitFor();
    const other = await console.invite('developer', { width: 1280, locale: 'en-GB' });
    await logIn(other.account, other.password);
    await question.waitFor({ state: 'hidden' });
    await page.locator('.view-lines').getByText('typed before the end').waitFor();
    assert.equal(await page.getByText('secret of one person').count(), 0, "it is another one's");
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 401/.test(text)),
      [],
    );
  });

  it('nothing of one engine stays on the page of another', async () => {
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('engines/left');
    await page.getByRole('button', { name: 'Try with this message' }).click();
    await page.getByText('It would succeed').waitFor();
    await page.locator('#input').fill('{"of":"left"}');
    await go(page, 'engines/right');
    await page.locator('.view-lines').getByText("'right'").waitFor();
    assert.equal(await page.getByText('It would succeed').count(), 0);
    assert.equal((await page.locator('#input').inputValue()).includes('left'), false);
    assert.equal(await page.title(), 'right · Engine · demo · v8-engine-host');
    assert.deepEqual(person.complaints, []);
  });

  it('forms ask, too, until they are saved: the settings, and a binding', async () => {
    const person = await console.openAs('admin', { width: 390, locale: 'en-GB' });
    const { page } = person;
    const stay = answerDialogs(page, (dialog) => dialog.dismiss());
    await person.visit('settings');
    await page.locator('#setting-ClientName').fill('Typed');
    await go(page, 'bindings');
    await eventually(() => assert.equal(stay.asked.length, 1));
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('heading', { name: '租户设置' }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('#setting-ClientName').inputValue(), 'Typed');
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByText('已保存并生效').waitFor();
    await go(page, 'bindings');
    await page.getByRole('button', { name: '绑定队列' }).click();
    await page.locator('#binding-queue').fill('typed.queue');
    await go(page, 'overview');
    await eventually(() => assert.equal(stay.asked.length, 2));
    assert.equal(await page.locator('#binding-queue').inputValue(), 'typed.queue');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await go(page, 'overview');
    await page.getByRole('heading', { name: '概览' }).waitFor();
    assert.equal(stay.asked.length, 2);
    assert.deepEqual(person.complaints, []);
  });
});

/** Answers each question of the browser, and keeps what was asked. */
function answerDialogs(page: Page, answer: (dialog: Dialog) => Promise<void>) {
  const asked: string[] = [];
  const kinds: string[] = [];
  const onDialog = (dialog: Dialog): void => {
    asked.push(dialog.message());
    kinds.push(dialog.type());
    void answer(dialog);
  };
  page.on('dialog', onDialog);
  return { asked, kinds, end: () => page.off('dialog', onDialog) };
}
