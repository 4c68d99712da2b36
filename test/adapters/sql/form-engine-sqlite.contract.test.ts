import { formEngineContract } from '../../contract/form-engine.contract.ts';
import { openSqlitePlace } from './sqlite-place.ts';

formEngineContract('sqlite', openSqlitePlace);
