/** A started product with the demonstration in it, and a browser for its console. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { CONSOLE_DIRECTORY } from '../../src/admin/console-files.ts';
import { ConsolePage, type Screen, startBrowser } from './browser.ts';
import { HostProcess } from './host-process.ts';
import { tempDir } from './temp-dir.ts';

/** The host's token. */
export const CONSOLE_TOKEN = 'test-token-0123456789abcdef';
const PASSWORD = 'a long password';

/** The host, and people who look at its console. */
export class ConsoleHost {
  readonly host: HostProcess;
  readonly #browser: Browser;
  readonly #ends: readonly (() => Promise<void> | void)[];
  #people = 0;

  private constructor(host: HostProcess, browser: Browser, ends: readonly (() => Promise<void> | void)[]) {
    this.host = host;
    this.#browser = browser;
    this.#ends = ends;
  }

  /** Starts both; end them with `close`. @param config keys of the host's configuration. */
  static async start(config: Record<string, unknown> = {}): Promise<ConsoleHost> {
    assert.ok(existsSync(CONSOLE_DIRECTORY), 'the console is not built: run npm ci');
    const ends: (() => Promise<void> | void)[] = [];
    const context = { after: (end: () => Promise<void> | void) => void ends.unshift(end) };
    const host = await HostProcess.create(tempDir(context), { demo: true, ...config });
    context.after(() => host.kill());
    const [browser] = await Promise.all([startBrowser(context), host.start()]);
    return new ConsoleHost(host, browser, ends);
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
  }

  /** Opens the console for somebody who brings the host's token. */
  async openAsHost(screen: Screen): Promise<ConsolePage> {
    const person = await this.#open(screen);
    await person.logIn(CONSOLE_TOKEN);
    return person;
  }

  /** Makes a user of the role in `demo` and logs them in. */
  async openAs(role: string, screen: Screen): Promise<ConsolePage> {
    const { person, account, password } = await this.invite(role, screen);
    await person.page.locator('#account').fill(account);
    await person.page.locator('#password').fill(password);
    await person.page.keyboard.press('Enter');
    await person.page.locator('#content h1').waitFor();
    return person;
  }

  /** Makes a user of the role in `demo`, who stands before the page of the login. */
  async invite(role: string, screen: Screen): Promise<{ person: ConsolePage; account: string; password: string }> {
    this.#people += 1;
    const account = `${role}-${this.#people}`;
    const made = await this.host.api('POST', 'tenants/demo/users', { account, password: PASSWORD, role });
    assert.equal(made.body.Code, 1, made.body.Msg);
    return { person: await this.#open(screen), account, password: PASSWORD };
  }

  #open(screen: Screen): Promise<ConsolePage> {
    return ConsolePage.open(this.#browser, `http://127.0.0.1:${this.host.port}`, screen);
  }
}
