import { describeSqlSession } from '../../contract/sql-session.contract.ts';
import { openMysqlPlace } from './mysql-place.ts';

describeSqlSession('MariaDB', openMysqlPlace);
