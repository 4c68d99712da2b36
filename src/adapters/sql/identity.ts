import type { IdentityStore } from '../../ports/identity.ts';
import { SqlKeyStore } from './api-keys.ts';
import { SqlAuditStore } from './audit.ts';
import type { RowMaker } from './platform-row.ts';
import type { SealedSecrets } from './sealed-secrets.ts';
import { SqlSessionStore, SqlSigningKeyStore } from './sessions.ts';
import type { SqlDatabase } from './sql-database.ts';
import { SqlUserStore } from './users.ts';

/** Users, sessions, keys and the log of changes of one tenant. */
export function createIdentityStore(
  database: SqlDatabase,
  maker: RowMaker & { readonly tenant: string },
  secrets: SealedSecrets,
): IdentityStore {
  return {
    users: new SqlUserStore(database, maker),
    sessions: new SqlSessionStore(database),
    keys: new SqlKeyStore(database, maker),
    audit: new SqlAuditStore(database, maker),
    signingKeys: new SqlSigningKeyStore(database, maker.tenant, secrets),
  };
}
