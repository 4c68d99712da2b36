/** A tenant's settings through the API, over a real host: secrets go in and never come out. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SEALED_MARK } from '../../src/core/sealed-secret.ts';
import { type ApiHost, openApi } from '../support/api-host.ts';
import { outside, tenantFile } from '../support/outside.ts';

interface View {
  readonly name: string;
  readonly value: unknown;
  readonly isSet: boolean;
  readonly isSecret: boolean;
}

const SECRETS = ['mq-secret-1', 'mqtt-secret-1', 'mongodb://u:mongo-secret@db/x'];

describe("a tenant's settings", { concurrency: false }, () => {
  const ends: (() => Promise<void> | void)[] = [];
  let api: ApiHost;

  before(async () => {
    api = await openApi(
      { after: (end) => void ends.unshift(end) },
      { mqtt: { account: 'main', password: 'main-pwd' } },
    );
    await api.host.host.start();
    await api.data('POST', 'tenants', { tenant: 'factory' });
  });

  after(async () => {
    for (const end of ends) await end();
  });

  const change = (body: unknown, tenant = 'factory', token?: string) =>
    api.ask('PATCH', `tenants/${tenant}/settings`, body, token);
  const view = async (name: string, tenant = 'factory') =>
    (await api.data<View[]>('GET', `tenants/${tenant}/settings`)).find((each) => each.name === name);

  it('are read, changed and taken away, and scripts see them at once', async () => {
    await api.host.push({ 'model.js': 'return { Code: 1, Data: V8.OsClientModel };' }, [], 'factory');
    const model = () => api.data<Record<string, unknown>>('POST', 'tenants/factory/engines/model/run', {});
    assert.equal((await model()).ClientName, 'factory');
    const { status } = await change({ ClientName: '  东莞工厂 ', MQPort: 5671, MQUseTls: true, MqttVeto: true });
    assert.equal(status, 200);
    assert.equal((await model()).ClientName, '东莞工厂');
    assert.deepEqual([(await view('MQPort'))?.value, (await view('MQUseTls'))?.value], [5671, true]);
    const [row] = await outside(
      api.dataDir,
      tenantFile('demo'),
      "select * from sys_osclients where OsClient = 'factory'",
    );
    assert.deepEqual([row?.MQPort, row?.MQUseTls, row?.MqttVeto], ['5671', '1', 1]);
    assert.equal((await change({ MQPort: null, MQUseTls: null, MqttVeto: false })).status, 200);
    assert.deepEqual([(await view('MQPort'))?.isSet, (await view('MqttVeto'))?.value], [false, false]);
  });

  it('never give a secret back: not in answers, not in the log of changes', async () => {
    const [MQPassword, MqttPwd, DbMongoConnection] = SECRETS;
    const answer = await change({ MQPassword, MqttPwd, DbMongoConnection, MqttAccount: 'sensor' });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    for (const name of ['MQPassword', 'MqttPwd', 'DbMongoConnection']) {
      const { value, isSet, isSecret } = (await view(name)) ?? {};
      assert.deepEqual([value, isSet, isSecret], [null, true, true], name);
    }
    const said = JSON.stringify([answer.body, (await api.ask('GET', 'tenants/factory/settings')).body]);
    const [noted] = await api.data<{ before: unknown; after: unknown }[]>(
      'GET',
      'tenants/factory/audit?action=tenant.settings-changed&limit=1',
    );
    const hidden = { isSet: true };
    assert.deepEqual(noted?.after, {
      MQPassword: hidden,
      DbMongoConnection: hidden,
      MqttAccount: 'sensor',
      MqttPwd: hidden,
    });
    for (const secret of SECRETS) assert.ok(!(said + JSON.stringify(noted)).includes(secret), secret);
    const [row] = await outside(
      api.dataDir,
      tenantFile('demo'),
      "select * from sys_osclients where OsClient = 'factory'",
    );
    assert.deepEqual([row?.MQPassword, row?.MqttPwd], [SEALED_MARK, SEALED_MARK]);
    const settings = await api.host.adapters.directory.settings();
    const opened = settings.find(({ tenant }) => tenant === 'factory')?.row;
    assert.deepEqual([opened?.MQPassword, opened?.MqttPwd], [MQPassword, MqttPwd]);
  });

  it('are refused with the field and the rule, and nothing is stored', async () => {
    for (const [body, field] of [
      [{ MQPort: 70_000 }, 'body.MQPort'],
      [{ MQPort: '5672' }, 'body.MQPort'],
      [{ MqttEnable: 1 }, 'body.MqttEnable'],
      [{ ClientName: 'x'.repeat(101) }, 'body.ClientName'],
      [{ MQHost: 'a\u0000b' }, 'body.MQHost'],
      [{ DbConn: 'Data Source=x' }, 'body.DbConn'],
      [{ MqttApiEngine: 'nobody', ClientName: 'never' }, 'body.MqttApiEngine'],
      [{ DbMongoConnection: 'mongo-secret@db', ClientName: 'never' }, 'body.DbMongoConnection'],
      [{ MqttAccount: 'main' }, 'body.MqttAccount'],
      [{ MqttPwd: 'main-pwd' }, 'body.MqttPwd'],
      [{}, 'body'],
    ] as const) {
      const { status, body: answer } = await change(body);
      const { field: named } = answer.DataAppend as { field: string };
      assert.deepEqual([status, answer.ReasonCode, named], [400, 'REQUEST_INVALID', field], JSON.stringify(body));
      assert.ok(!JSON.stringify(answer).includes('mongo-secret'));
    }
    assert.equal((await change({ MqttApiEngine: '' })).status, 200, 'blank is nothing');
    assert.notEqual((await view('ClientName'))?.value, 'never');
  });

  it('that make two tenants share an account are refused in both languages', async () => {
    await api.data('POST', 'tenants', { tenant: 'copycat' });
    const full = { MQHost: 'mq', MQPort: 5672, MQUserName: 'u1', MQPassword: 'p1', MQVitrualHost: 'v1' };
    assert.equal((await change(full)).status, 200);
    const taken = await change({ ...full, MQPassword: 'p2', MQVitrualHost: 'v2' }, 'copycat');
    assert.deepEqual([taken.status, (taken.body.DataAppend as { field: string }).field], [400, 'body.MQUserName']);
    assert.match(
      taken.body.Msg ?? '',
      /copycat 的 MQUserName 与另一个租户相同.*MQUserName of tenant copycat equals another/s,
    );
    assert.equal((await view('MQUserName', 'copycat'))?.isSet, false);
    assert.equal((await change({ DbMongoConnection: 'mongodb://one:p1@db/x' })).status, 200);
    const sameUser = await change({ DbMongoConnection: 'mongodb://one:p2@DB:27017/y' }, 'copycat');
    const { field } = sameUser.body.DataAppend as { field: string };
    assert.deepEqual([sameUser.status, field], [400, 'body.DbMongoConnection']);
    assert.equal((await change({ DbMongoConnection: 'mongodb://two:p2@db/y' }, 'copycat')).status, 200);
  });

  it('that two tenants ask for at once are given to one of them', async () => {
    const tenants = ['factory', 'copycat'];
    for (let round = 0; round < 10; round++) {
      const MQUserName = `wanted-${round}`;
      const own = (tenant: string) => ({
        MQHost: 'mq',
        MQPort: 5672,
        MQUserName,
        MQPassword: `${tenant}-${round}`,
        MQVitrualHost: `${tenant}-${round}`,
      });
      const { services } = api.host.host;
      const by = { kind: 'host', id: '', name: 'test', level: 0 } as const;
      const place = { by, address: '', caller: { kind: 'host', by } } as const;
      // In one step: requests would come one after the other.
      const answers = await Promise.allSettled(
        tenants.map((tenant) => services.changeTenantSettings(tenant, place, own(tenant))),
      );
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
      assert.deepEqual([refused.length, refused[0]?.params.field], [1, 'body.MQUserName']);
      const owners = await Promise.all(tenants.map(async (tenant) => (await view('MQUserName', tenant))?.value));
      assert.equal(owners.filter((value) => value === MQUserName).length, 1, `round ${round}`);
    }
  });

  it("of the host's own connections are the operator's; a tenant's admin changes the others, nobody else any", async () => {
    const admin = await api.login('admin', 'factory');
    assert.equal((await change({ MqttAllowAnonymous: true }, 'factory', admin)).status, 200);
    for (const body of [{ MQHost: '10.0.0.1' }, { DbMongoConnection: 'x' }, { ClientName: 'x', MQUserName: 'y' }]) {
      const { status, body: answer } = await change(body, 'factory', admin);
      assert.deepEqual([status, answer.ReasonCode], [403, 'ROLE_DENIED'], JSON.stringify(body));
    }
    const operator = await api.login('operator', 'factory');
    assert.equal((await api.ask('GET', 'tenants/factory/settings', undefined, operator)).status, 200);
    assert.equal((await change({ MqttVeto: true }, 'factory', operator)).body.ReasonCode, 'ROLE_DENIED');
  });

  it('of the main tenant make it a row where it has none; a column that is not there is named', async () => {
    assert.equal((await change({ ClientName: '总部' }, 'demo')).status, 200);
    assert.equal((await view('ClientName', 'demo'))?.value, '总部');
    const tenants = await api.data<{ tenant: string }[]>('GET', 'tenants');
    assert.deepEqual(tenants.map(({ tenant }) => tenant).sort(), ['copycat', 'demo', 'factory']);
    await outside(api.dataDir, tenantFile('demo'), 'alter table sys_osclients drop column MqttShortTopics');
    const { status, body } = await change({ MqttShortTopics: true });
    assert.deepEqual(
      [status, body.ReasonCode, body.DataAppend],
      [409, 'COLUMN_MISSING', { table: 'sys_osclients', column: 'MqttShortTopics' }],
    );
    assert.equal(await view('MqttShortTopics'), undefined);
  });
});
