/** The main ways of people from the login to the result, by keyboard alone and on a phone. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { ConsoleHost } from '../support/console-host.ts';
import { eventually } from '../support/eventually.ts';
import { Keyboard } from '../support/keyboard.ts';
import { connectClient } from '../support/mqtt-broker.ts';

const PHONE = { width: 390, locale: 'zh-CN', isDark: true } as const;

describe('journeys by keyboard on a phone', { concurrency: false }, () => {
  let console: ConsoleHost;

  before(async () => {
    console = await ConsoleHost.start();
  });
  after(() => console.close());

  /** Logs somebody of the role in, by keyboard. */
  async function come(role: string) {
    const { person, account, password } = await console.invite(role, PHONE);
    const keys = new Keyboard(person.page);
    await keys.type(person.page.locator('#account'), account);
    await keys.type(person.page.locator('#password'), password);
    await person.page.keyboard.press('Enter');
    await person.page.locator('#content h1').waitFor();
    return { person, page: person.page, keys };
  }

  it('write a handler, bind it, send, see it fail, mend it, replay', { timeout: 240_000 }, async () => {
    const { person, page, keys } = await come('admin');
    await keys.openPage('菜单', '接口引擎');
    await keys.type(page.getByRole('textbox', { name: 'Key' }), 'weigh');
    await page.keyboard.press('Enter');
    await write(page, keys, 'return { Code: 1, Data: V8.Param.Message.Message.Weight.Grams };');
    // From here on Tab leaves every editor of the page, as it says itself.
    await page.keyboard.press('Control+M');
    await person.assertUsable('the editor');

    await keys.openPage('菜单', '队列绑定');
    await keys.press(page.getByRole('button', { name: '绑定队列' }));
    await keys.type(page.locator('#binding-queue'), 'weights');
    await keys.type(page.locator('#binding-engine'), 'weigh');
    await page.getByRole('option', { name: 'weigh' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await keys.press(page.getByRole('dialog').getByRole('button', { name: '保存' }));
    const row = page.getByRole('row', { name: 'weights' });
    await row.waitFor();

    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await keys.press(row.getByRole('button', { name: '发消息' }));
    await keys.type(page.locator('#send-event'), 'weight-1');
    await keys.type(page.locator('#send-message'), '{"No":"K-8"}');
    await keys.press(page.getByRole('dialog').getByRole('button', { name: '发消息' }));
    await page.getByText('时间线').waitFor();
    await until(page, keys, 'Cannot read properties of undefined');
    await person.assertUsable('the story of a failure');

    await keys.press(page.getByRole('link', { name: 'weigh', exact: true }));
    await write(page, keys, 'return { Code: 1, Data: V8.Param.Message.Message.No };');
    await keys.openPage('菜单', '死信');
    await keys.press(page.getByRole('link', { name: 'weight-1' }));
    await keys.press(page.getByRole('button', { name: '重放', exact: true }));
    await keys.press(page.getByRole('dialog').getByRole('button', { name: '重放' }));
    await page.getByText('时间线').waitFor();
    await until(page, keys, '已完成：weigh 的效果已提交一次');
    await person.assertUsable('the story of a success');
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 404/.test(text)),
      [],
      'the browser notes the engine that was not there yet, whatever the page does',
    );
  });

  it('find why a message failed, try a corrected one, replay it', { timeout: 120_000 }, async () => {
    const sent = await console.host.api('POST', 'tenants/demo/queues/demo.broken/messages', {
      EventId: 'broken-k',
      Message: { Amount: '12,5' },
    });
    assert.equal(sent.body.Code, 1, sent.body.Msg);
    await eventually(async () => {
      const { body } = await console.host.api('GET', 'tenants/demo/dead-letters?queue=demo.broken');
      assert.equal(body.Data.length, 1);
    }, 30_000);
    const { person, page, keys } = await come('operator');
    await keys.openPage('菜单', '死信');
    await keys.press(page.getByRole('link', { name: 'broken-k' }));
    await page.getByText('always-fails.js:').first().waitFor();
    await person.assertUsable('a dead letter');
    await keys.type(page.locator('#message'), '{"Amount":"13,5"}');
    await keys.press(page.getByRole('button', { name: '试运行' }));
    await page.getByText('会失败').first().waitFor();
    await keys.press(page.getByRole('button', { name: '保存修改并重放' }));
    await page.getByText('时间线').waitFor();
    assert.deepEqual(person.complaints, []);
  });

  it('choose the engine of the devices from the list, see the devices', { timeout: 120_000 }, async () => {
    const source = 'return { Code: 1, Data: V8.MQTT.Topic };';
    await console.host.api('PUT', 'tenants/demo/engines/by-topic', { source });
    const { person, page, keys } = await come('admin');
    await keys.openPage('菜单', '租户设置');
    await keys.goTo(page.locator('#setting-MqttApiEngine'));
    await page.keyboard.insertText('by-topic');
    await page.getByRole('option', { name: 'by-topic' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await person.assertUsable('the settings');
    await keys.press(page.getByRole('button', { name: '保存' }));
    await page.getByText('已保存并生效').waitFor();
    const { body } = await console.host.api('GET', 'tenants/demo/settings');
    const engine = body.Data.find(({ name }: { name: string }) => name === 'MqttApiEngine');
    assert.equal(engine.value, 'by-topic');
    await keys.openPage('菜单', '设备');
    await person.assertUsable('the devices');
    assert.deepEqual(person.complaints, []);
  });

  it('bind a topic to a queue, find what a device sent, end the binding', { timeout: 120_000 }, async (t) => {
    const source = '/** @queue readings */\nreturn { Code: 1, Data: V8.Param.Message.Message.Payload };';
    await console.host.api('PUT', 'tenants/demo/engines/take-reading', { source });
    const { person, page, keys } = await come('designer');
    await keys.openPage('菜单', '设备');
    await page.getByText('还没有绑定的主题').waitFor();
    await keys.press(page.getByRole('button', { name: '绑定主题' }));
    await keys.type(page.locator('#topic-filter'), 'plant/#/reading');
    await keys.type(page.locator('#topic-queue'), 'readings');
    await keys.type(page.locator('#topic-event'), 'head.id');
    await person.assertUsable('the form');
    const dialog = page.getByRole('dialog');
    await keys.press(dialog.getByRole('button', { name: '保存' }));
    await dialog.getByRole('alert').getByText('# 只能是最后一级').waitFor();
    await keys.type(page.locator('#topic-filter'), 'plant/+/reading');
    await keys.press(dialog.getByRole('button', { name: '保存' }));
    await dialog.waitFor({ state: 'hidden' });
    const row = page.getByRole('row', { name: 'tenant/demo/plant/+/reading' });
    await row.getByText('take-reading').waitFor();
    await person.assertUsable('the bound topic');

    const device = await connectDevice(t, console);
    const reading = JSON.stringify({ head: { id: 'm1-17' }, Grams: 812 });
    for (const _ of [1, 2]) await device.publishAsync('plant/m1/reading', reading, { qos: 1 });
    await keys.openPage('菜单', '投递');
    await until(page, keys, 'm1-17');
    await keys.press(page.getByRole('link', { name: 'm1-17' }));
    await page.getByText('时间线').waitFor();
    await until(page, keys, '已完成：take-reading 的效果已提交一次');
    await page.getByText('plant/m1/reading').first().waitFor();
    await person.assertUsable('the story of a reading');

    await keys.openPage('菜单', '设备');
    await keys.press(row.getByRole('button', { name: '停用' }));
    await row.getByText('已停用').waitFor();
    await keys.press(row.getByRole('button', { name: '删除' }));
    await keys.press(dialog.getByRole('button', { name: '删除' }));
    await page.getByText('还没有绑定的主题').waitFor();
    assert.deepEqual(
      person.complaints.filter((text) => !/status of 400/.test(text)),
      [],
      'the browser notes the topic that was refused, whatever the page does',
    );
    const viewer = await console.openAs('viewer', { ...PHONE, locale: 'en-GB' });
    await viewer.visit('devices');
    await viewer.page.getByText('No topic is bound yet').waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: 'Bind a topic' }).count(), 0);
  });
});

/** A device of the demonstration, as it says how to connect one. */
async function connectDevice(t: TestContext, { host }: ConsoleHost): Promise<MqttClient> {
  const { body } = await host.api('GET', 'tenants/demo/mqtt');
  const password = readFileSync(join(host.dataDir, 'mqtt.password'), 'utf8').trim();
  const url = `mqtt://127.0.0.1:${body.Data.listeners[0].port}`;
  return connectClient(t, url, { username: 'demo:device', password, clientId: 'm1' });
}

/** Puts a script into the editor and saves it. */
async function write(page: Page, keys: Keyboard, source: string): Promise<void> {
  await page.locator('.monaco-editor .view-line').first().waitFor();
  await keys.type(page.locator('.script-place'), source);
  await page.keyboard.press('Control+S');
  await page.getByText('已保存，下一条消息就用新版本').waitFor();
}

/** Reads the page again until it says this. */
async function until(page: Page, keys: Keyboard, text: string): Promise<void> {
  await eventually(async () => {
    await keys.press(page.getByRole('button', { name: '刷新' }));
    await page.getByText(text).first().waitFor({ timeout: 1_500 });
  }, 40_000);
}
