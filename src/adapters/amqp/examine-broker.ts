import { randomBytes } from 'node:crypto';
import { type ChannelModel, connect } from 'amqplib';
import { coerceError } from '../../core/errors.ts';
import { type Finding, fine, notice, problemOf } from '../../core/finding.ts';
import { type AmqpSettings, loggableUrl } from '../../core/mq-settings.ts';
import type { Ids } from '../../ports/ids.ts';
import { withinMs } from './deadline.ts';
import { ANSWER_MS, type QueueType } from './declare-queue.ts';
import { CONNECT_TIMEOUT_MS, Endpoint, tlsName } from './endpoint.ts';
import { examineTls } from './examine-tls.ts';
import { fromChannelError, fromConnectError } from './from-amqp-error.ts';

/** Where the management interface listens unless somebody moved it. */
const MANAGEMENT_PORT = 15_672;
const MANAGEMENT_MS = 3_000;

/**
 * Looks at the certificate of each of a tenant's RabbitMQ hosts, logs in there and does what the host does, on a queue
 * that goes again: declare, publish with a confirm, receive, delete. Never rejects.
 */
export async function examineBroker(
  tenant: string,
  settings: AmqpSettings,
  queueType: QueueType,
  ids: Ids,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const host of settings.hosts) {
    const one = { ...settings, hosts: [host] };
    const subject = `${tenant} ${loggableUrl(one)}`;
    const certificate = one.tls ? await examineTls(subject, one) : [];
    findings.push(...certificate);
    // The login would fail for the same reason, and with less to go by.
    if (certificate.some(({ level }) => level === 'problem')) continue;
    findings.push(...(await examineHost(tenant, one, queueType, ids)));
  }
  return findings;
}

async function examineHost(
  tenant: string,
  settings: AmqpSettings,
  queueType: QueueType,
  ids: Ids,
): Promise<readonly Finding[]> {
  const subject = `${tenant} ${loggableUrl(settings)}`;
  let model: ChannelModel;
  try {
    const name = `microi:doctor:${tenant}`;
    const options = { clientProperties: { connection_name: name }, timeout: CONNECT_TIMEOUT_MS, ...tlsName(settings) };
    model = await connect(new Endpoint(settings, ids).options, options);
  } catch (error: unknown) {
    return [problemOf('queue', subject, fromConnectError(error, settings).toRecord())];
  }
  // What closes the connection is told by the step that it ends.
  model.on('error', () => undefined);
  try {
    const { version } = model.connection.serverProperties;
    return [
      fine('queue', subject, `RabbitMQ ${version}，可登录`, `RabbitMQ ${version}, login works`),
      ...(await rightsFindings(model, tenant, queueType, subject)),
      await managementFinding(settings),
    ];
  } finally {
    await withinMs(ANSWER_MS, model.close()).catch(() => undefined);
  }
}

async function rightsFindings(
  model: ChannelModel,
  tenant: string,
  queueType: QueueType,
  subject: string,
): Promise<Finding[]> {
  const queue = `microi.${tenant.toLowerCase()}.v8host-doctor-${randomBytes(6).toString('hex')}`;
  try {
    await useQueue(model, queue, queueType);
    const kind = queueType === 'quorum' ? 'quorum' : 'classic';
    return [fine('queue', subject, `可声明、发布、接收（${kind}）`, `declares, publishes and receives (${kind})`)];
  } catch (error: unknown) {
    return [problemOf('queue', subject, coerceError(error).toRecord())];
  }
}

async function useQueue(model: ChannelModel, queue: string, queueType: QueueType): Promise<void> {
  const channel = await withinMs(ANSWER_MS, model.createConfirmChannel());
  let refusal: unknown;
  channel.on('error', (error) => {
    refusal = error;
  });
  const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
  const options = queueType === 'quorum' ? quorum : { durable: true };
  try {
    await withinMs(ANSWER_MS, channel.assertQueue(queue, options));
    channel.sendToQueue(queue, Buffer.from('{}'), { persistent: true, mandatory: true });
    await withinMs(ANSWER_MS, channel.waitForConfirms());
    await withinMs(ANSWER_MS, channel.get(queue, { noAck: true }));
  } catch (error: unknown) {
    // A step that comes after a refusal only says that the channel is closed.
    throw fromChannelError(refusal ?? error, queue);
  } finally {
    await removeQueue(model, queue);
  }
}

/** On a channel of its own: a refused step has closed the other one. */
async function removeQueue(model: ChannelModel, queue: string): Promise<void> {
  const channel = await withinMs(ANSWER_MS, model.createChannel());
  channel.on('error', () => undefined);
  await withinMs(ANSWER_MS, channel.deleteQueue(queue)).catch(() => undefined);
}

/** The host itself needs no management interface; `v8host tenant rabbitmq-setup` does. */
async function managementFinding({ hosts: [host = ''] }: AmqpSettings): Promise<Finding> {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${MANAGEMENT_PORT}`;
  const reached = await fetch(`${url}/api/whoami`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(MANAGEMENT_MS),
  }).then(
    ({ status }) => status === 401 || status === 200,
    () => false,
  );
  if (reached) return fine('queue', url, '管理接口可用', 'the management interface answers');
  return notice(
    'queue',
    url,
    '此端口没有管理接口，v8host tenant rabbitmq-setup 需要它：rabbitmq-plugins enable rabbitmq_management。',
    'no management interface at this port; v8host tenant rabbitmq-setup needs one: rabbitmq-plugins enable rabbitmq_management.',
  );
}
