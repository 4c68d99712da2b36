import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConnectHints, identifyClient, sameSecret } from '../../src/core/mqtt-identity.ts';
import { type MainMqtt, type MqttRow, mqttRegistry } from '../../src/core/mqtt-settings.ts';

const MAIN: MainMqtt = { tenant: 'Main', enabled: true, account: 'main-acc', password: 'main-pw', engine: '' };
const CHILD = { MqttEnable: 1, MqttAccount: 'a-acc', MqttPwd: 'a-pw' };

function row(tenant: string, columns: Record<string, unknown>): MqttRow {
  return { tenant, row: columns };
}

/** What becomes of a CONNECT: the tenant, or the refusal. */
function outcome(hints: Partial<ConnectHints>, rows: readonly MqttRow[] = [row('TenA', CHILD)], main = MAIN): string {
  const all = { clientId: 'dev1', userName: undefined, password: undefined, osClient: undefined, ...hints };
  const identity = identifyClient(all, mqttRegistry(rows, main));
  return identity.ok ? identity.tenant.tenant : `${identity.refusal} ${identity.action}`;
}

const A = { userName: 'tena:a-acc', password: 'a-pw' };

test('step 1: client ids', () => {
  for (const clientId of ['', 'a\u001fb', '__microi_internal__:TenA']) {
    assert.equal(outcome({ ...A, clientId }), 'client-id ConnectionRejected');
  }
});

test('step 2: an unknown tenant in the User Property', () => {
  assert.equal(outcome({ ...A, osClient: 'nobody' }), 'not-authorized UnknownTenantRejected');
  assert.equal(outcome({ ...A, osClient: ' ' }), 'TenA');
});

test('steps 3 to 7: hints, their order, and that they agree', () => {
  assert.equal(outcome(A), 'TenA');
  assert.equal(outcome({ ...A, osClient: 'tenA' }), 'TenA');
  assert.equal(outcome({ ...A, userName: 'a-acc', osClient: 'tenA' }), 'TenA');
  assert.equal(outcome({ ...A, userName: 'a-acc', clientId: 'tena:dev1' }), 'TenA');
  assert.equal(outcome({ ...A, osClient: 'main' }), 'not-authorized ConnectionRejected');
  assert.equal(outcome({ ...A, clientId: 'main:dev1' }), 'not-authorized ConnectionRejected');
  assert.equal(
    outcome({ osClient: 'tena', clientId: 'main:d', userName: 'a-acc', password: 'a-pw' }).slice(0, 3),
    'not',
  );
  // A client id that begins with no tenant is no hint; nor is a colon in front or in a plain user name.
  assert.equal(outcome({ ...A, clientId: 'bridge:mqtt:x' }), 'TenA');
  assert.equal(outcome({ userName: ':a-acc', password: 'a-pw' }), 'not-authorized TenantResolutionFailed');
  const colon = [row('TenA', { ...CHILD, MqttAccount: 'x:y' })];
  assert.equal(outcome({ userName: 'x:y', password: 'a-pw', osClient: 'tena' }, colon), 'TenA');
});

test('steps 8 and 9: the main tenant by its exact account, else nobody', () => {
  assert.equal(outcome({ userName: 'main-acc', password: 'main-pw' }), 'Main');
  assert.equal(outcome({ userName: 'Main-acc', password: 'main-pw' }), 'not-authorized TenantResolutionFailed');
  assert.equal(outcome({}), 'not-authorized TenantResolutionFailed');
});

test('step 10: a tenant without MQTT', () => {
  for (const MqttEnable of [0, null, '', 'no']) {
    assert.equal(outcome(A, [row('TenA', { ...CHILD, MqttEnable })]), 'not-authorized DisabledTenantRejected');
  }
});

test('step 11: a child without complete credentials, a copy of the main ones among them', () => {
  for (const columns of [{ MqttPwd: '' }, { MqttAccount: null }, { MqttAccount: 'main-acc' }, { MqttPwd: 'main-pw' }]) {
    assert.equal(outcome(A, [row('TenA', { ...CHILD, ...columns })]), 'not-authorized IncompleteCredentialRejected');
  }
  const anonymous = [row('TenA', { MqttEnable: 1, MqttAllowAnonymous: 1 })];
  assert.equal(outcome({ osClient: 'tena' }, anonymous), 'not-authorized IncompleteCredentialRejected');
});

test('step 12: a credential that another tenant has, too, disabled ones among them', () => {
  for (const other of [{ MqttAccount: 'a-acc' }, { MqttPwd: 'a-pw' }, { MqttPwd: 'a-pw', MqttEnable: 0 }]) {
    const rows = [row('TenA', CHILD), row('TenB', { ...CHILD, MqttAccount: 'b', MqttPwd: 'b', ...other })];
    assert.equal(outcome(A, rows), 'not-authorized CredentialCollisionRejected');
    // The main tenant is not checked.
    assert.equal(outcome({ userName: 'main-acc', password: 'main-pw' }, rows), 'Main');
  }
});

test('step 13: wrong credentials', () => {
  for (const wrong of [{ password: 'a-pX' }, { password: undefined }, { userName: 'tena:other' }]) {
    assert.equal(outcome({ ...A, ...wrong }), 'bad-credentials CredentialRejected');
  }
  // A password keeps its blanks.
  const blanks = [row('TenA', { ...CHILD, MqttPwd: ' p ' })];
  assert.equal(outcome({ ...A, password: 'p' }, blanks), 'bad-credentials CredentialRejected');
  assert.equal(outcome({ ...A, password: ' p ' }, blanks), 'TenA');
});

test('step 14: nobody is anonymous except in a main tenant that says so, and with a hint', () => {
  const open = { ...MAIN, account: '', password: '' };
  const allowed = [row('main', { MqttAllowAnonymous: 1 })];
  assert.equal(outcome({ osClient: 'main' }, allowed, open), 'Main');
  assert.equal(outcome({ clientId: 'main:dev' }, allowed, open), 'Main');
  assert.equal(outcome({}, allowed, open), 'not-authorized TenantResolutionFailed');
  assert.equal(outcome({ osClient: 'main' }, [], open), 'not-authorized AnonymousRejected');
  // With one half set it is open all the same, and the half is not checked; with both it is closed.
  assert.equal(outcome({ osClient: 'main' }, allowed, { ...open, account: 'main-acc' }), 'Main');
  assert.equal(outcome({ osClient: 'main' }, allowed, MAIN), 'bad-credentials CredentialRejected');
});

test('rows fill in what the configuration leaves out, and go before it', () => {
  const rows = [row('MAIN', { MqttAccount: 'row-acc' })];
  assert.equal(outcome({ userName: 'row-acc', password: 'main-pw' }, rows), 'Main');
  assert.equal(outcome({ userName: 'main-acc', password: 'main-pw' }, rows), 'not-authorized TenantResolutionFailed');
  assert.equal(
    outcome({ userName: 'main-acc', password: 'main-pw' }, [], { ...MAIN, enabled: false }).slice(0, 3),
    'not',
  );
});

test('the configuration says for this host whether there is a broker; without it the row does', () => {
  for (const [configured, inRow, enabled] of [
    [false, 1, false],
    [true, 0, true],
    [undefined, 1, true],
    [undefined, 0, false],
  ] as const) {
    const { tenants } = mqttRegistry([row('Main', { MqttEnable: inRow })], { ...MAIN, enabled: configured });
    assert.equal(tenants[0]?.enabled, enabled, `${configured} ${inRow}`);
  }
});

test('secrets are equal only when they are', () => {
  for (const [a, b] of [
    ['', ''],
    ['abc', 'abc'],
    ['温度', '温度'],
  ] as const)
    assert.ok(sameSecret(a, b));
  for (const [a, b] of [
    ['', 'a'],
    ['abc', 'abd'],
    ['a', 'a\0'],
    ['x'.repeat(300), 'x'.repeat(299)],
  ] as const) {
    assert.equal(sameSecret(a, b), false);
  }
});
