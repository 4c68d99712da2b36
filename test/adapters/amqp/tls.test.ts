import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import * as tls from 'node:tls';
import { systemIds } from '../../../src/adapters/system/system-ids.ts';
import type { AppError } from '../../../src/core/errors.ts';
import type { AmqpSettings } from '../../../src/core/mq-settings.ts';
import { ownPort } from '../../support/own-port.ts';
import { type FreshVhost, freshVhost } from '../../support/services/fresh-vhost.ts';
import { serviceDir } from '../../support/services/service-dir.ts';
import { message, openQueue, settingsOf, TENANT } from './amqp-client.ts';

/** Hosts of one cluster: the loopback network has as many addresses as one likes. */
const [FIRST, SECOND, THIRD] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
const NAME = 'rabbit.example';

/** Tries the hosts in the order in which they are listed. */
const IN_ORDER = { ...systemIds(), random: () => 0 };

let vhost: FreshVhost;
let port: number;
let certificate: { readonly key: Buffer; readonly cert: Buffer; readonly ca: string };

before(async () => {
  [vhost, port, certificate] = [await freshVhost(), await ownPort(), makeCertificate()];
});

const settings = (change: Partial<AmqpSettings>): AmqpSettings => ({
  ...settingsOf(vhost),
  port,
  tls: true,
  ...change,
});

test('a certificate of an unknown authority ends the attempt before the password is sent', async (t) => {
  await tlsFront(t, FIRST);
  const { queue } = await openQueue(t, settings({ hosts: [FIRST] }));
  await assert.rejects(queue.publish(TENANT, [message('a')]), tlsFailure(/SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY/));
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.ca]);
});

for (const host of [FIRST, SECOND]) {
  test(`the host ${host} of several is reached by TLS`, async (t) => {
    const front = await tlsFront(t, host);
    const { queue } = await openQueue(t, settings({ hosts: [FIRST, SECOND] }));
    await queue.publish(TENANT, [message('a')]);
    assert.ok(front.handshakes > 0);
  });
}

test('a host without TLS hears no word in clear text, and the next one is used', async (t) => {
  const heard: Buffer[] = [];
  const plain = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      heard.push(bytes);
      socket.end('AMQP\0\0\x09\x01');
    });
  });
  await listening(t, plain, THIRD);
  await tlsFront(t, FIRST);
  const { queue } = await openQueue(t, settings({ hosts: [THIRD, FIRST] }), { ids: IN_ORDER });
  await queue.publish(TENANT, [message('a')]);
  assert.ok(heard.length > 0, 'the plain host was asked first');
  const clientHello = 0x16;
  for (const bytes of heard) {
    assert.equal(bytes[0], clientHello);
    assert.ok(!bytes.includes(vhost.user) && !bytes.includes(vhost.password));
  }
});

test('a server name of the settings must be in the certificate, whatever the host is called', async (t) => {
  await tlsFront(t, FIRST);
  const right = await openQueue(t, settings({ hosts: [FIRST], tlsServerName: NAME }));
  await right.queue.publish(TENANT, [message('a')]);
  const wrong = await openQueue(t, settings({ hosts: [FIRST], tlsServerName: 'other.example' }));
  await assert.rejects(wrong.queue.publish(TENANT, [message('a')]), tlsFailure(/ERR_TLS_CERT_ALTNAME_INVALID/));
});

test('a host that is not in the certificate is refused', async (t) => {
  await tlsFront(t, THIRD);
  const { queue } = await openQueue(t, settings({ hosts: [THIRD] }));
  await assert.rejects(queue.publish(TENANT, [message('a')]), tlsFailure(/ERR_TLS_CERT_ALTNAME_INVALID/));
});

function tlsFailure(reason: RegExp) {
  return (error: Error) => {
    assert.equal((error.cause as AppError).code, 'QUEUE_TLS_FAILED');
    assert.match((error.cause as Error).message, reason);
    return true;
  };
}

/** The broker behind TLS on one address, until the end of the test. */
async function tlsFront(t: TestContext, host: string): Promise<{ readonly handshakes: number }> {
  const front = { handshakes: 0 };
  const server = tls.createServer(certificate, (client) => {
    front.handshakes++;
    const broker = createConnection(vhost.port, vhost.host);
    client.pipe(broker).pipe(client);
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await listening(t, server, host);
  return front;
}

async function listening(t: TestContext, server: Server, host: string): Promise<void> {
  server.listen(port, host).unref();
  await once(server, 'listening');
  // Registered first, it would wait for connections that the queue closes later.
  t.after(() => void server.close());
}

/** An authority of the test and a certificate of it, for two of the hosts and a name. */
function makeCertificate() {
  const dir = serviceDir('tls');
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=test authority',
    '-days',
    '2',
  );
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=broker');
  writeFileSync(file('san'), `subjectAltName=IP:${FIRST},IP:${SECOND},DNS:${NAME}\n`);
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'san'];
  openssl('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem');
  const ca = readFileSync(file('ca.pem'), 'utf8');
  const cert = Buffer.concat([readFileSync(file('server.pem')), Buffer.from(ca)]);
  return { key: readFileSync(file('server.key')), cert, ca };
}
