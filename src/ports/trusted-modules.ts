/** Handlers that run in the host itself, with its rights: only what the operator registered and pinned. */
import type { ErrorRecord } from '../core/errors.ts';

export interface TrustedModules {
  /**
   * Looks whether a registered module is still the file that was pinned.
   * @returns why it must not run; undefined when it may.
   */
  check(name: string): Promise<ErrorRecord | undefined>;
  /** First 12 hex digits of the pinned SHA-256; undefined for a name that is not registered. */
  versionOf(name: string): string | undefined;
}
