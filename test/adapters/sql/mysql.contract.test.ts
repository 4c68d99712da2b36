import { engineVersionsContract } from '../../contract/engine-versions.contract.ts';
import { identityContract } from '../../contract/identity.contract.ts';
import { schemaContract } from '../../contract/schema.contract.ts';
import { tableStoreContract } from '../../contract/table-store.contract.ts';
import { tenantStoreContract } from '../../contract/tenant-store.contract.ts';
import { openMysqlPlace } from './mysql-place.ts';

tenantStoreContract('mysql', openMysqlPlace);
tableStoreContract('mysql', openMysqlPlace);
identityContract('mysql', openMysqlPlace);
schemaContract('mysql', openMysqlPlace);
engineVersionsContract('mysql', openMysqlPlace);
