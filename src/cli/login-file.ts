import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';

/** A login that `v8host login` keeps for one host. */
export interface SavedLogin {
  readonly tenant: string;
  readonly account: string;
  readonly token: string;
}

/** Logins by the address of their host, in a file that only its owner can read. A token is sent to its host alone. */
export class LoginFile {
  readonly #path: string;

  /** @param path absolute. */
  constructor(path: string) {
    this.#path = path;
  }

  /** @param url origin of the host. */
  get(url: string): SavedLogin | undefined {
    const entry = this.#read()[url];
    if (!isJsonObject(entry)) return undefined;
    const { tenant, account, token } = entry;
    if (typeof tenant !== 'string' || typeof account !== 'string' || typeof token !== 'string') return undefined;
    return { tenant, account, token };
  }

  /** @throws Error of the file system. */
  set(url: string, { tenant, account, token }: SavedLogin): void {
    this.#write({ ...this.#read(), [url]: { tenant, account, token } });
  }

  remove(url: string): void {
    const { [url]: _, ...others } = this.#read();
    this.#write(others);
  }

  #read(): JsonObject {
    try {
      const value: JsonValue = JSON.parse(readFileSync(this.#path, 'utf8'));
      return isJsonObject(value) ? value : {};
    } catch {
      return {}; // Not there, or nobody can read it: to log in again writes it anew.
    }
  }

  /** Another command that reads meanwhile finds the old file or the new one, never a half. */
  #write(logins: JsonObject): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const next = `${this.#path}.${process.pid}`;
    writeFileSync(next, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, this.#path);
  }
}
