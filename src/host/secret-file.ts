import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * A secret of the host that people and programs on this machine find in a file, readable by its owner only: the
 * configured one, else the file's, else one made now.
 */
export function provideSecretFile(path: string, configured: string | undefined): string {
  const secret = configured ?? readSecret(path) ?? randomBytes(32).toString('base64url');
  writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return secret;
}

function readSecret(path: string): string | undefined {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    return secret === '' ? undefined : secret;
  } catch {
    // The first start on this data directory.
    return undefined;
  }
}
