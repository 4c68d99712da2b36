import { describeSqlSession } from '../../contract/sql-session.contract.ts';
import { openSqlitePlace } from './sqlite-place.ts';

describeSqlSession('SQLite', openSqlitePlace);
