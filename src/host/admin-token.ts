import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOKEN_FILE = 'admin.token';

/**
 * The bearer token of the admin API: the configured one, else one made at the first start. The file, readable by its
 * owner only, is where the command line on this machine finds it.
 */
export function provideAdminToken(dataDir: string, configured: string | undefined): string {
  const path = join(dataDir, TOKEN_FILE);
  const token = configured ?? readToken(path) ?? randomBytes(32).toString('base64url');
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return token;
}

function readToken(path: string): string | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim();
    return token === '' ? undefined : token;
  } catch {
    // The first start on this data directory.
    return undefined;
  }
}
