import type { Actor } from '../core/access.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { checkPassword, parseAccount } from '../core/user.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { IdentityServices } from './identity-services.ts';
import { type Login, openSession } from './log-in.ts';
import { addUser } from './manage-users.ts';

/** The link is good for so long, or until the host ends. Milliseconds. */
const LINK_MS = 24 * 3_600_000;

/** The host itself. */
const HOST: Actor = { kind: 'host', id: '', name: 'setup', level: 0 };

/**
 * The first administrator: while the main tenant has no users, the host holds a code that lets one person make himself
 * one. It is only in this process and in what it printed, and goes with its first use.
 */
export class FirstAdmin {
  readonly #services: IdentityServices;
  #codeHash: string | undefined;
  #expiresAt = 0;

  constructor(services: IdentityServices) {
    this.#services = services;
  }

  /** Makes a code when there is nobody yet. @returns it, for the start-up output; undefined when there are users. */
  async open(): Promise<string | undefined> {
    if ((await this.#main().identity.users.list()).length > 0) return undefined;
    const code = this.#services.ids.secret();
    this.#codeHash = this.#services.ids.sha256Hex(code);
    this.#expiresAt = this.#services.clock.now() + LINK_MS;
    return code;
  }

  /**
   * Makes the first administrator, of the main tenant and of the whole host, and logs him in.
   * @throws AppError SETUP_CLOSED, REQUEST_INVALID (the code stays good), LOGIN_LIMITED.
   */
  async use(
    draft: { readonly code: string; readonly account: string; readonly name: string; readonly password: string },
    address: string,
  ): Promise<Login> {
    const { clock, ids, limits, log } = this.#services;
    const main = this.#main();
    const attempt = limits.begin(main.tenant, 'setup', address);
    const isRight = ids.sha256Hex(draft.code) === this.#codeHash && clock.now() < this.#expiresAt;
    if (!isRight) throw new AppError('SETUP_CLOSED');
    attempt.succeeded();
    orThrow(checkPassword(draft.password, orThrow(parseAccount(draft.account))));
    const codeHash = this.#codeHash;
    // Taken before anything is awaited, so that two at once do not both use it.
    this.#codeHash = undefined;
    try {
      if ((await main.identity.users.list()).length > 0) throw new AppError('SETUP_CLOSED');
      const place = { tenant: main.tenant, caller: { kind: 'host', by: HOST } as const, by: HOST, address };
      const { account, name, password } = draft;
      const user = await addUser(this.#services, place, { account, name, password, role: 'admin', isHostAdmin: true });
      log.info('setup.completed', { tenantId: main.tenant, account: user.account });
      return await openSession(this.#services, main, user);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'SETUP_CLOSED') this.#codeHash = codeHash;
      throw error;
    }
  }

  #main(): TenantStore {
    const [main] = this.#services.directory.open();
    if (main === undefined) throw new AppError('TENANT_UNAVAILABLE', { tenant: '', reason: '' });
    return main;
  }
}
