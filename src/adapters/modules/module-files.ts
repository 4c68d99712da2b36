import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bilingual } from '../../core/bilingual.ts';
import { AppError, type ErrorRecord } from '../../core/errors.ts';
import { moduleRefusal } from '../../core/trusted-module.ts';
import type { TrustedModules } from '../../ports/trusted-modules.ts';

/** What a module gets beside the message: the tenant's own host calls, in the run's transaction. */
export interface ModuleHost {
  readonly tenant: string;
  readonly eventId: string;
  /** Aborted when the time of the run is up. */
  readonly signal: AbortSignal;
  /** Such as `call('FormEngine.AddFormData', 'shop_order', { Sku: 'P-1' })`. Failures are results with `Code: 0`. */
  call(name: string, ...args: readonly unknown[]): Promise<unknown>;
}

/** The default export of a module: `message` is the envelope, the result decides as a script's does. */
export type ModuleHandler = (message: unknown, host: ModuleHost) => unknown;

export interface RegisteredModule {
  /** Relative to the folder of the modules. */
  readonly file: string;
  /** 64 hex digits. */
  readonly sha256: string;
}

/** Registered modules, read from one folder, imported once and only when their bytes are the pinned ones. */
export class ModuleFiles implements TrustedModules {
  readonly #dir: string;
  readonly #registered: ReadonlyMap<string, RegisteredModule>;
  readonly #handlers = new Map<string, Promise<ModuleHandler>>();

  constructor(dir: string, registered: ReadonlyMap<string, RegisteredModule>) {
    this.#dir = dir;
    this.#registered = registered;
  }

  versionOf(name: string): string | undefined {
    return this.#registered.get(name)?.sha256.slice(0, 12).toLowerCase();
  }

  async check(name: string): Promise<ErrorRecord | undefined> {
    const registered = this.#registered.get(name);
    if (registered === undefined) {
      return moduleRefusal(name, bilingual('没有在 modules.handlers 中登记', 'is not registered in modules.handlers'));
    }
    const path = await this.#pathOf(registered);
    if (path === undefined) {
      return moduleRefusal(
        name,
        bilingual('文件不存在，或不在 modules.dir 之内', 'its file is not there, or not inside modules.dir'),
      );
    }
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
    if (bytes instanceof Error) {
      const why = bytes.code ?? bytes.message;
      return moduleRefusal(name, bilingual(`文件不可读（${why}）`, `its file cannot be read (${why})`));
    }
    const found = createHash('sha256').update(bytes).digest('hex');
    const pinned = registered.sha256.toLowerCase();
    if (found === pinned) return undefined;
    return moduleRefusal(
      name,
      bilingual(
        `文件已改变：登记的 SHA-256 为 ${pinned}，现在为 ${found}`,
        `its file has changed: the pinned SHA-256 is ${pinned}, now it is ${found}`,
      ),
    );
  }

  /**
   * The handler, imported at its first use and checked before and after, so that what runs is what was pinned.
   * @throws AppError MODULE_REFUSED while the file is not the pinned one; what the module throws at its import.
   */
  load(name: string): Promise<ModuleHandler> {
    const loading = this.#handlers.get(name) ?? this.#import(name);
    this.#handlers.set(name, loading);
    // A refused file may be repaired.
    loading.catch(() => this.#handlers.delete(name));
    return loading;
  }

  async #import(name: string): Promise<ModuleHandler> {
    await this.#assertPinned(name);
    const path = await this.#pathOf(this.#registered.get(name) as RegisteredModule);
    const loaded: { default?: unknown } = await import(pathToFileURL(path ?? '').href);
    await this.#assertPinned(name);
    if (typeof loaded.default !== 'function') throw new Error(`module ${name} has no function as its default export`);
    return loaded.default as ModuleHandler;
  }

  async #assertPinned(name: string): Promise<void> {
    const refusal = await this.check(name);
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
  }

  /** Links are followed first, so that none leads out of the folder. */
  async #pathOf({ file }: RegisteredModule): Promise<string | undefined> {
    try {
      const dir = await realpath(this.#dir);
      const path = await realpath(join(dir, file));
      const inside = relative(dir, path);
      const leaves = isAbsolute(file) || inside === '' || inside.split(sep)[0] === '..' || isAbsolute(inside);
      return leaves ? undefined : path;
    } catch {
      return undefined;
    }
  }
}
