/** What a tenant's administrator does: settings, people, keys, and the log of changes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConsoleHost } from '../support/console-host.ts';

describe('the pages of administrators', { concurrency: false }, () => {
  let console: ConsoleHost;

  before(async () => {
    console = await ConsoleHost.start();
  });
  after(() => console.close());

  it('settings are changed, a wrong one is told at its field, a secret goes in and never comes out', async () => {
    const person = await console.openAs('admin', { width: 390, locale: 'zh-CN' });
    const { page } = person;
    await person.visit('settings');
    assert.equal(await page.locator('#setting-MQHost').isDisabled(), true, 'where the host connects to');
    await page.locator('#setting-ClientName').fill('x'.repeat(101));
    await page.keyboard.press('Enter');
    await page.locator('#problem-ClientName').waitFor();
    assert.equal(await page.locator('#setting-ClientName').getAttribute('aria-invalid'), 'true');
    await person.assertUsable('a refused setting');
    await page.locator('#setting-ClientName').fill('Demo');
    await page.locator('#setting-MqttPwd').fill('hush-hush-1');
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByText('已保存并生效').waitFor();
    await page.reload();
    await page.getByText('已设置').first().waitFor();
    assert.equal(await page.locator('#setting-ClientName').inputValue(), 'Demo');
    assert.equal(await page.locator('#setting-MqttPwd').inputValue(), '');
    assert.equal((await page.content()).includes('hush-hush-1'), false);
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });

  it('an admin makes a user, is told what is wrong, changes the role, switches off and deletes', async () => {
    const person = await console.openAs('admin', { width: 390, locale: 'en-GB', isDark: true });
    const { page } = person;
    await person.visit('users');
    await page.locator('#user-account').fill('wang');
    await page.locator('#user-password').fill('short');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.locator('#user-password').fill('long enough now');
    await page.locator('#user-level').fill('20');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: 'wang' });
    await row.waitFor();
    await row.locator('.el-select').click();
    const option = page.getByRole('option', { name: 'designer' }).filter({ visible: true });
    await option.click();
    await option.waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: 'Level of wang: 20' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('300');
    await page.keyboard.press('Enter');
    await row.getByRole('button', { name: 'Level of wang: 300' }).waitFor();
    await row.getByRole('button', { name: 'Switch off' }).click();
    await row.getByRole('button', { name: 'Switch on' }).waitFor();
    await person.assertUsable('the users');
    const { Data } = (await console.host.api('GET', 'tenants/demo/users')).body;
    const wang = Data.find(({ account }: { account: string }) => account === 'wang');
    assert.deepEqual([wang.role, wang.level, wang.isEnabled], ['designer', 300, false]);
    const removal = page.getByRole('dialog').filter({ hasText: 'Delete the user wang?' });
    await row.getByRole('button', { name: 'Delete' }).click();
    await removal.getByRole('button', { name: 'Cancel' }).click();
    await removal.waitFor({ state: 'hidden' });
    await row.getByRole('button', { name: 'Delete' }).click();
    await removal.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });

  it('a key is shown once, works, and is refused once it is revoked; the log of changes tells all of it', async () => {
    const person = await console.openAs('admin', { width: 1280, locale: 'en-GB' });
    const { page } = person;
    await person.visit('keys');
    await page.getByText('No keys yet').waitFor();
    await page.locator('#key-name').fill('ci');
    await page.locator('.el-select', { has: page.locator('#key-scopes') }).click();
    await page.getByRole('option', { name: 'record.read' }).click();
    assert.equal(await page.getByRole('option', { name: 'user.manage' }).count(), 0, 'people only');
    await page.keyboard.press('Escape');
    await page.locator('.el-select', { has: page.locator('#key-life') }).click();
    await page.getByRole('option', { name: 'until a day' }).click();
    await page.getByLabel('Last day').fill('2030-05-31');
    await page.getByRole('button', { name: 'New key' }).click();
    const key = await page.getByLabel('New key').textContent();
    const row = page.getByRole('row', { name: 'ci' });
    await row.waitFor();
    await person.assertUsable('a new key');
    const ask = (what = 'engines') =>
      fetch(`http://127.0.0.1:${console.host.port}/api/v1/tenants/demo/${what}`, {
        headers: { authorization: `Bearer ${key}` },
      });
    assert.equal((await ask()).status, 200);
    assert.equal((await ask('audit')).status, 403, 'it is narrowed to what was chosen');
    const { Data: kept } = (await console.host.api('GET', 'tenants/demo/keys')).body;
    assert.deepEqual(kept[0].scopes, ['record.read']);
    assert.equal(new Date(kept[0].expiresAt).toDateString(), 'Fri May 31 2030');
    await page.reload();
    await row.waitFor();
    assert.equal((await page.content()).includes(String(key)), false);
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog').filter({ hasText: 'Revoke the key ci?' });
    await question.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal((await ask()).status, 401);
    await person.visit('audit');
    await page.getByLabel('Of what').fill('ci');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: 'key.' }).nth(1).waitFor();
    await person.assertUsable('the log of changes');
    assert.deepEqual(person.complaints, []);
  });

  it('a developer is not offered the pages of administrators', async () => {
    const person = await console.openAs('developer', { width: 1280, locale: 'en-GB' });
    const names = await person.page.getByRole('navigation').first().getByRole('link').allTextContents();
    for (const name of ['Settings', 'Users', 'API keys', 'Changes']) {
      assert.equal(
        names.some((each) => each.trim() === name),
        false,
        name,
      );
    }
    assert.ok(names.some((each) => each.trim() === 'Logs'));
  });
});
