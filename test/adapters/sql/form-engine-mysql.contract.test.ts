import { formEngineContract } from '../../contract/form-engine.contract.ts';
import { openMysqlPlace } from './mysql-place.ts';

formEngineContract('mysql', openMysqlPlace);
