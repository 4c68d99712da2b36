import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';
import { type AmqpSettings, loggableUrl } from '../../core/mq-settings.ts';

/** Reply codes of AMQP 0-9-1 that are looked at. */
const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 406;

/** The driver's error as far as it is read. Its texts name the user, so it is a cause only where they cannot. */
interface DriverError {
  readonly code: string | number | undefined;
  readonly message: string;
}

type ConnectFailure = 'QUEUE_LOGIN_REFUSED' | 'QUEUE_VHOST_REFUSED' | 'QUEUE_TLS_FAILED';

/** How a failed attempt to connect is told; the first match wins, anything else is a broker that is not reached. */
const CONNECT_FAILURES: readonly (readonly [pattern: RegExp, code: ConnectFailure])[] = [
  [/ACCESS.REFUSED/, 'QUEUE_LOGIN_REFUSED'],
  // The driver drops the broker's words: a virtual host that is missing, forbidden or full look the same.
  [/Expected ConnectionOpenOk; got <ConnectionClose/, 'QUEUE_VHOST_REFUSED'],
  [
    /\b(ERR_SSL|ERR_TLS|CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|EPROTO)|certificate|socket disconnected before secure TLS/,
    'QUEUE_TLS_FAILED',
  ],
];

/** Translates a failed attempt to connect. */
export function fromConnectError(thrown: unknown, settings: AmqpSettings): AppError {
  const error = driverError(thrown);
  const text = `${error.code ?? ''} ${error.message}`;
  const code = CONNECT_FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? 'QUEUE_BROKER_UNREACHABLE';
  return new AppError(code, { broker: loggableUrl(settings), vhost: settings.vhost, reason: reasonOf(error) });
}

/** Translates the end of a connection that was up. */
export function fromConnectionLoss(thrown: unknown): AppError {
  return new AppError('QUEUE_CONNECTION_LOST', { reason: reasonOf(driverError(thrown)) });
}

/** Translates what closed a channel or refused an operation on a queue. */
export function fromChannelError(thrown: unknown, queue: string): AppError {
  if (thrown instanceof AppError) return thrown;
  const error = driverError(thrown);
  if (error.code === ACCESS_REFUSED && /in exclusive use/.test(error.message))
    return new AppError('QUEUE_HELD', { queue });
  if (error.code === ACCESS_REFUSED)
    return new AppError('QUEUE_ACCESS_REFUSED', { resource: resourceOf(error, queue) });
  if (error.code === PRECONDITION_FAILED && /inequivalent arg/.test(error.message)) {
    return new AppError('QUEUE_ARGUMENTS_DIFFER', { queue, difference: brokerText(error) });
  }
  if (typeof error.code === 'number') return new AppError('QUEUE_REFUSED', { queue, reason: brokerText(error) });
  return fromConnectionLoss(thrown);
}

/**
 * Translates a publish that was not confirmed. A message above the broker's `max_message_size` closes the channel;
 * only the message that has exactly the size the broker complains about is to blame.
 */
export function fromPublishError(thrown: unknown, queue: string, size: number): AppError {
  const { code, message } = driverError(thrown);
  const [, found, limit] = /message size (\d+) is larger than configured max size (\d+)/.exec(message) ?? [];
  if (code === PRECONDITION_FAILED && Number(found) === size) {
    return new AppError('MESSAGE_TOO_LARGE', { size, limit: Number(limit) });
  }
  if (message === 'message nacked') return unavailable(new AppError('QUEUE_REFUSED', { queue, reason: NACK_REASON }));
  // The driver refuses a headers table that its encoder cannot hold.
  if (thrown instanceof RangeError) return new AppError('PARAM_INVALID', { field: 'headers', rule: HEADERS_RULE });
  return unavailable(fromChannelError(thrown, queue));
}

const NACK_REASON = bilingual('队列没有接收消息（nack）', 'the queue did not take the message (nack)');
const HEADERS_RULE = bilingual('消息头合计不得超过 64 KiB', 'the headers must not exceed 64 KiB in all');

/** The tenant's queue cannot be used now, for this reason. The reason is for the host's log; the tenant learns the fact. */
export function unavailable(cause: AppError): AppError {
  return cause.code === 'QUEUE_UNAVAILABLE' ? cause : new AppError('QUEUE_UNAVAILABLE', {}, { cause });
}

/** Reply code of a channel error; undefined for anything else. */
export function replyCodeOf(thrown: unknown): number | undefined {
  const { code } = driverError(thrown);
  return typeof code === 'number' ? code : undefined;
}

function driverError(thrown: unknown): DriverError {
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  const known = typeof code === 'string' || typeof code === 'number' ? code : undefined;
  return { code: known, message: typeof message === 'string' ? message : String(thrown) };
}

/** The shortest text that says why: a system code, or the broker's words. */
function reasonOf(error: DriverError): string {
  return typeof error.code === 'string' ? error.code : brokerText(error);
}

/** What the broker wrote, without the driver's frame around it and without the user's name. */
function brokerText({ message }: DriverError): string {
  const words = /with message "(.*)"$/s.exec(message)?.[1] ?? message;
  return words.replace(/ (refused )?for user '[^']*'/g, ' $1').trim();
}

function resourceOf(error: DriverError, queue: string): string {
  return /access to ((queue|exchange|vhost) '[^']*')/.exec(error.message)?.[1] ?? `queue '${queue}'`;
}
