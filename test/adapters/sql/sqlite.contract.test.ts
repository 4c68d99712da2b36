import { tableStoreContract } from '../../contract/table-store.contract.ts';
import { tenantStoreContract } from '../../contract/tenant-store.contract.ts';
import { openSqlitePlace } from './sqlite-place.ts';

tenantStoreContract('sqlite', openSqlitePlace);
tableStoreContract('sqlite', openSqlitePlace);
