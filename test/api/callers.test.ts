/** Who a request is, as scripts and limits see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../support/api-host.ts';

const WHO = 'return { Code: 1, Data: { user: V8.CurrentUser, inner: V8.ApiEngine.Run("inner", {}) } };';

test('an engine that is run through the API sees who runs it, and so do the engines that it runs', async (t) => {
  const api = await openApi(t);
  await api.host.push({ 'who.js': WHO, 'inner.js': 'return V8.CurrentUser.Account;' });
  await api.host.host.start();
  const run = (token?: string) =>
    api.data<{ user: Record<string, unknown>; inner: unknown }>('POST', 'tenants/demo/engines/who/run', {}, token);
  const { user, inner } = await run(await api.login('designer'));
  assert.deepEqual(
    [user.Account, user.RoleIds, user._IsAdmin, inner],
    ['designer.demo', ['designer'], false, 'designer.demo'],
  );
  const { text } = await addKey(api);
  assert.deepEqual((await run(text)).user.Account, 'CI');
  assert.deepEqual((await run()).user.Account, 'host');
});

test("the platform's addresses keep to the rate of calls, and the wait is not another caller's", async (t) => {
  const api = await openApi(t, { entryCallsPerSecond: 2 });
  await api.host.host.start();
  const token = await api.login('admin');
  const status = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const response = await api.server.inject({ method: 'GET', url: '/api/Mqtt/GetStatus/status', headers });
    return response.statusCode;
  };
  const answers = await Promise.all(Array.from({ length: 12 }, () => status(token)));
  const refused = answers.filter((code) => code === 429).length;
  assert.ok(refused > 0 && refused < 12, JSON.stringify(answers));
  assert.equal(await status((await second(api)).token), 200);
});

test('a call of an engine and a trial of one keep to the rate of calls, too', async (t) => {
  const api = await openApi(t, { entryCallsPerSecond: 2 });
  await api.host.push({ 'quick.js': 'return { Code: 1 };' });
  await api.host.host.start();
  const calls = [
    { path: 'engines/quick/run', body: {}, role: 'developer' },
    { path: 'engines/quick/trial', body: { Message: {} }, role: 'admin' },
  ] as const;
  for (const { path, body, role } of calls) {
    const token = await api.login(role);
    const once = async () => (await api.ask('POST', `tenants/demo/${path}`, body, token)).status;
    const answers = await Promise.all(Array.from({ length: 12 }, once));
    const refused = answers.filter((code) => code === 429).length;
    assert.ok(refused > 0 && refused < 12, JSON.stringify([path, answers]));
  }
});

async function addKey(api: Awaited<ReturnType<typeof openApi>>): Promise<{ text: string }> {
  const admin = await api.login('admin');
  const { key } = await api.data<{ key: string }>(
    'POST',
    'tenants/demo/keys',
    { name: 'CI', role: 'developer' },
    admin,
  );
  return { text: key };
}

async function second(api: Awaited<ReturnType<typeof openApi>>): Promise<{ token: string }> {
  const password = 'correct horse battery';
  await api.data('POST', 'tenants/demo/users', { account: 'other', password, role: 'admin' });
  return api.data('POST', 'login', { account: 'other', password });
}
