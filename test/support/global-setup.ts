/**
 * The runner's own part of a test run (`node --test-global-setup`): it keeps the services that the test files share,
 * and starts each when the first test asks for it.
 */
import { openServiceDesk } from './services/service-desk.ts';
import { endAll } from './services/tied-process.ts';

export const globalSetup = openServiceDesk;

export async function globalTeardown(): Promise<void> {
  endAll();
}
