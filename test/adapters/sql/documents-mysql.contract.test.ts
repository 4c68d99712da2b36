import { documentsContract, inTransaction } from '../../contract/documents.contract.ts';
import { openMysqlPlace } from './mysql-place.ts';

documentsContract('mysql', async (t) => (await openMysqlPlace(t)).store.documents);
documentsContract('mysql, in a transaction', inTransaction(openMysqlPlace), false);
