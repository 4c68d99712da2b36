import { engineVersionsContract } from '../../contract/engine-versions.contract.ts';
import { identityContract } from '../../contract/identity.contract.ts';
import { schemaContract } from '../../contract/schema.contract.ts';
import { tableStoreContract } from '../../contract/table-store.contract.ts';
import { tenantStoreContract } from '../../contract/tenant-store.contract.ts';
import { openSqlitePlace } from './sqlite-place.ts';

tenantStoreContract('sqlite', openSqlitePlace);
tableStoreContract('sqlite', openSqlitePlace);
identityContract('sqlite', openSqlitePlace);
schemaContract('sqlite', openSqlitePlace);
engineVersionsContract('sqlite', openSqlitePlace);
