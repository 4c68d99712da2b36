import { join } from 'node:path';
import { provideSecretFile } from './secret-file.ts';

const TOKEN_FILE = 'admin.token';

/**
 * The bearer token of the admin API: the configured one, else one made at the first start. The file, readable by its
 * owner only, is where the command line on this machine finds it.
 */
export function provideAdminToken(dataDir: string, configured: string | undefined): string {
  return provideSecretFile(join(dataDir, TOKEN_FILE), configured);
}
