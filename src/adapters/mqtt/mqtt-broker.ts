import type { Duplex } from 'node:stream';
import { AppError, coerceError } from '../../core/errors.ts';
import type { BrokerListener, BrokerMessage, LocalBroker, RetainedView, SessionView } from '../../ports/broker.ts';
import { BrokerCore, type BrokerParts } from './broker-core.ts';
import { Connection } from './connection.ts';
import type { FrontDoor } from './front-door.ts';
import { type ListenerOptions, type Listening, openListener } from './listener.ts';
import { REASON } from './reason-codes.ts';

const SWEEP_MS = 1_000;

/** A client may be silent for one and a half times its keep-alive (MQTT 3.1.1, 3.1.2.10). */
const KEEP_ALIVE_GRACE = 1.5;

/**
 * Starts the broker.
 * @param door where devices come in beside `listeners`; it is the host's own and stays when the broker stops.
 * @throws AppError MQTT_LISTEN_FAILED, MQTT_TLS_INVALID; nothing of it stays then.
 */
export async function startBroker(
  parts: BrokerParts,
  listeners: readonly ListenerOptions[],
  door?: FrontDoor,
): Promise<MqttBroker> {
  const broker = new MqttBroker(parts, door);
  try {
    for (const options of listeners) await broker.listen(options);
  } catch (error) {
    await broker.stop();
    throw error;
  }
  return broker;
}

/** The embedded broker: MQTT 3.1, 3.1.1 and 5 over TCP, TLS, WebSocket and secure WebSocket. */
export class MqttBroker implements LocalBroker {
  readonly #core: BrokerCore;
  readonly #parts: BrokerParts;
  readonly #connections = new Set<Connection>();
  readonly #listening: Listening[] = [];
  readonly #door: FrontDoor | undefined;
  readonly #timer: NodeJS.Timeout;
  #stopped = false;

  constructor(parts: BrokerParts, door?: FrontDoor) {
    this.#parts = parts;
    this.#door = door;
    this.#core = new BrokerCore(parts);
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get listeners(): readonly BrokerListener[] {
    return [...this.#listening.map(({ listener }) => listener), ...(this.#door?.listeners ?? [])];
  }

  async listen(options: ListenerOptions): Promise<void> {
    const failed = (error: Error): void =>
      this.#parts.log.error('mqtt.listener_failed', { kind: options.kind, err: coerceError(error) });
    this.#listening.push(await openListener(options, (stream, address) => this.accept(stream, address), failed));
  }

  /** Serves a connection, whatever it runs over. */
  accept(stream: Duplex, address: string): void {
    if (this.#stopped || this.#connections.size >= this.#core.limits.connections) {
      stream.destroy();
      return;
    }
    const connection = new Connection(this.#core, stream, address, () => this.#connections.delete(connection));
    this.#connections.add(connection);
  }

  async publish(tenant: string, message: BrokerMessage, id?: string): Promise<number> {
    if (this.#stopped) throw new AppError('MQTT_NOT_RUNNING');
    return this.#core.publish(tenant, message, id);
  }

  subscribers(tenant: string, topic: string): number {
    return this.#core.spaceIfAny(tenant)?.subscribers(topic) ?? 0;
  }

  sessions(tenant: string): readonly SessionView[] {
    return [...(this.#core.spaceIfAny(tenant)?.sessions.values() ?? [])].map((session) => session.view());
  }

  retained(tenant: string): readonly RetainedView[] {
    return this.#core.spaceIfAny(tenant)?.retainedViews() ?? [];
  }

  connectionCount(): number {
    return this.#connections.size;
  }

  disconnect(tenant: string, clientId: string): boolean {
    const link = this.#core.spaceIfAny(tenant)?.sessions.get(clientId)?.link;
    if (!(link instanceof Connection)) return false;
    link.end(REASON.administrative, 'ended', 'ended by an operator');
    return true;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#core.stopping();
    const closing = this.#listening.map((listening) => listening.close());
    for (const connection of [...this.#connections]) connection.end(REASON.shuttingDown);
    while (this.#connections.size > 0) await this.#parts.clock.sleep(10);
    await this.#core.idle();
    await Promise.all(closing);
    if (!this.#core.store.isDirty) return;
    // Nothing that it could not store was acknowledged; the end must not wait for a store that is away or another's.
    await this.#core.store
      .flushed()
      .catch((error: unknown) => this.#parts.log.error('mqtt.store_failed', { err: coerceError(error) }));
  }

  #sweep(): void {
    const now = this.#core.now();
    for (const connection of this.#connections) this.#checkTimes(connection, now);
    this.#core.sweep();
  }

  #checkTimes(connection: Connection, now: number): void {
    const { connectMs, stalledMs } = this.#core.limits;
    const { opened, output } = connection;
    connection.regulate();
    if (opened === undefined) {
      if (now - connection.openedAt > connectMs && !connection.isBusy) connection.end(REASON.keepAlive);
      return;
    }
    const silent = opened.info.keepAlive * 1000 * KEEP_ALIVE_GRACE;
    if (silent > 0 && now - connection.lastSeen > silent && !connection.isBusy) {
      connection.end(REASON.keepAlive, 'lost');
    } else if (!output.canSend() && output.blockedSince !== undefined && now - output.blockedSince > stalledMs) {
      connection.end(REASON.busy, 'lost');
    }
  }
}
