import { tableStoreContract } from '../../contract/table-store.contract.ts';
import { tenantStoreContract } from '../../contract/tenant-store.contract.ts';
import { openMysqlPlace } from './mysql-place.ts';

tenantStoreContract('mysql', openMysqlPlace);
tableStoreContract('mysql', openMysqlPlace);
