import type { HostRole } from '../../ports/host-role.ts';
import { MysqlAddress } from './address-mysql.ts';
import { MysqlConnection } from './connection-mysql.ts';

/** A holder that is frozen or cut off loses the role after this, when the server closes its session. Seconds. */
const SILENT_SECONDS = 20;

/** For one answer. Milliseconds. */
const ANSWER_MS = 3_000;

/** Only names and numbers are sent. Bytes. */
const MAX_PACKET = 65_536;

/**
 * A role as a named lock of the database server (GET_LOCK), which belongs to a session and ends with it, however that
 * ends. It holds on one server; the nodes of a Galera cluster do not tell each other.
 */
export class MysqlHostRole implements HostRole {
  readonly #address: MysqlAddress;
  readonly #lock: string;
  #session: MysqlConnection | undefined;

  /** @param url of the main database; the role is shared by the hosts of one schema. @param name in lower case. */
  constructor(url: string, name: string) {
    this.#address = MysqlAddress.parse(url);
    this.#lock = `v8host.${name}.${this.#address.schemaMark}`;
  }

  async hold(): Promise<boolean> {
    return (await this.#ask('GET_LOCK(?, 0) = 1', this.#lock)) === 1;
  }

  async holder(): Promise<string> {
    const address = `(SELECT host FROM information_schema.processlist WHERE id = IS_USED_LOCK(?))`;
    const found = await this.#ask(address, this.#lock).catch(() => null);
    return typeof found === 'string' && found !== '' ? found : '?';
  }

  async release(): Promise<void> {
    this.#session?.end();
    this.#session = undefined;
  }

  async #ask(expression: string, ...values: string[]): Promise<unknown> {
    const session = await this.#open();
    const { rows } = await session.execute({ sql: `SELECT ${expression} AS Answer`, parameters: values }, ANSWER_MS);
    return (rows[0] as { readonly Answer: unknown } | undefined)?.Answer ?? null;
  }

  async #open(): Promise<MysqlConnection> {
    if (this.#session === undefined || this.#session.isLost) {
      const setup = `set session wait_timeout = ${SILENT_SECONDS}`;
      this.#session = await MysqlConnection.open(this.#address, { setup, maxPacket: MAX_PACKET });
    }
    return this.#session;
  }
}
