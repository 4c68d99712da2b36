import { documentsContract, inTransaction } from '../../contract/documents.contract.ts';
import { openSqlitePlace } from './sqlite-place.ts';

documentsContract('sqlite', async (t) => (await openSqlitePlace(t)).store.documents);
documentsContract('sqlite, in a transaction', inTransaction(openSqlitePlace), false);
