/** What the doctor says of real certificates: those of the MQTT listeners, and the one that RabbitMQ shows. */
import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { examineTls } from '../../src/adapters/amqp/examine-tls.ts';
import { type CertificateWish, TestAuthority } from '../support/certificates.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { tempDir } from '../support/temp-dir.ts';
import { tlsFront } from '../support/tls-front.ts';
import { runDoctor } from './doctor-run.ts';

const LIMIT = { timeout: 240_000 };
const PASSWORD = 'pfx-password';
const authority = new TestAuthority(tempDir({ after }), 'plant authority');

describe('v8host doctor and certificates of MQTT', LIMIT, () => {
  const PEM = (name: string, wish: CertificateWish) => authority.issue(name, wish);
  const PFX = (name: string, wish: CertificateWish) => ({
    pfxFile: authority.issuePfx(name, PASSWORD, wish),
    password: PASSWORD,
  });
  const FORMS: readonly (readonly [string, (name: string, wish: CertificateWish) => object])[] = [
    ['pem', PEM],
    ['pfx', PFX],
  ];

  for (const [form, make] of FORMS) {
    it(`tells until when one in ${form} holds, when to renew it and that it has ended`, async (t) => {
      const look = async (name: string, wish: CertificateWish) => {
        const mqtt = {
          enabled: true,
          port: 0,
          account: 'd',
          password: 'word-of-a-device',
          tls: { port: 0, ...make(name, wish) },
        };
        const run = await runDoctor(t, { mqtt });
        const told = run.findings.filter(({ area, subject }) => area === 'mqtt' && subject.startsWith('mqtts'));
        return { code: run.code, told: told.map(({ level, text }) => `${level} ${text}`), out: run.out };
      };
      const good = await look(`good-${form}`, { endsInDays: 200 });
      assert.equal(good.told.length, 1, good.out);
      assert.match(
        good.told[0] ?? '',
        new RegExp(`^ok the certificate good-${form} holds until \\d{4}-\\d\\d-\\d\\d$`),
      );
      const near = await look(`near-${form}`, { endsInDays: 10 });
      assert.match(near.told[0] ?? '', /^notice .* holds until .*: replace it and restart the host before that\.$/);
      const ended = await look(`ended-${form}`, { startsInDays: -20, endsInDays: -3 });
      assert.match(
        ended.told[0] ?? '',
        /^problem the certificate ended-\S+ ended on .*: replace it and restart the host\.$/,
      );
      assert.equal(ended.code, 1);
      assert.ok(!ended.out.includes(PASSWORD));
    });
  }
});

describe('v8host doctor and the certificate of RabbitMQ', LIMIT, () => {
  /** RabbitMQ behind TLS with such a certificate. */
  async function rabbit(t: TestContext, name: string, wish: CertificateWish = {}) {
    const vhost = await freshVhost();
    const port = await tlsFront(t, authority.issue(name, wish), vhost);
    const url = new URL(vhost.url);
    url.protocol = 'amqps:';
    url.port = String(port);
    const env = { NODE_EXTRA_CA_CERTS: authority.certFile };
    const look = async (more: Record<string, string> = env) => {
      const run = await runDoctor(t, { queueUrl: url.href }, { env: more });
      return { run, ok: run.texts('queue', 'ok').join('\n'), problems: run.texts('queue', 'problem') };
    };
    return { vhost, port, look };
  }

  it('finds a good one good and goes on to login and rights', async (t) => {
    const { look } = await rabbit(t, 'rabbit');
    const { ok, problems, run } = await look();
    assert.deepEqual(problems, [], run.out);
    assert.match(ok, /^TLS: the certificate bears the name 127\.0\.0\.1$/m);
    assert.match(ok, /^the certificate rabbit holds until \d{4}-\d\d-\d\d$/m);
    assert.match(ok, /^RabbitMQ .*login works$/m);
  });

  it('says what to change about another name, an unknown authority and a certificate that has ended', async (t) => {
    const other = await (await rabbit(t, 'other', { names: 'DNS:rabbit.example' })).look();
    assert.equal(other.run.code, 1);
    assert.match(
      other.problems.join(),
      /for DNS:rabbit\.example and not for 127\.0\.0\.1: set MQTlsServerName to a DNS name of it/,
    );
    const unknown = await (await rabbit(t, 'unknown')).look({});
    assert.match(
      unknown.problems.join(),
      /does not trust who signed .*(UNABLE_TO_|SELF_SIGNED).*NODE_EXTRA_CA_CERTS=authority\.pem/,
    );
    const ended = await (await rabbit(t, 'ended', { startsInDays: -9, endsInDays: -2 })).look();
    assert.deepEqual(ended.problems.length, 1, ended.run.out);
    assert.match(ended.problems[0] ?? '', /^the certificate ended ended on .*: replace it at RabbitMQ/);
    const near = await (await rabbit(t, 'near', { endsInDays: 5 })).look();
    assert.match(
      near.run.texts('queue', 'notice').join(),
      /near holds until .*: replace it at RabbitMQ .* before that/,
    );
    assert.match(near.ok, /login works/);
  });

  it('checks the name that the settings give', async (t) => {
    const { vhost, port } = await rabbit(t, 'named', { names: 'DNS:rabbit.example' });
    const { host, user, password } = vhost;
    const settings = { hosts: [host], port, user, password, vhost: vhost.vhost, tls: true } as const;
    const names = async (tlsServerName: string) => {
      const findings = await examineTls('demo', { ...settings, tlsServerName });
      return findings.filter(({ text }) => /bears the name|for DNS/.test(text.en)).map(({ level }) => level);
    };
    assert.deepEqual(await names('rabbit.example'), ['ok']);
    assert.deepEqual(await names('other.example'), ['problem']);
  });

  it('says of a port without TLS that it is none', async (t) => {
    const { url } = await freshVhost();
    const run = await runDoctor(t, { queueUrl: url.replace('amqp:', 'amqps:') });
    assert.match(
      run.texts('queue', 'problem').join(),
      /TLS with RabbitMQ .* failed .*check that MQPort is the TLS port/,
    );
  });
});
