import { ADMITTED_ROWS } from './admitted-rows.ts';
import type { FaultRow } from './fault-row.ts';
import { FORMER_ROWS } from './former-rows.ts';
import { FOUND_ROWS } from './found-rows.ts';
import { REPORTED_ROWS } from './reported-rows.ts';

export const FAULT_ROWS: readonly FaultRow[] = [...ADMITTED_ROWS, ...FOUND_ROWS, ...FORMER_ROWS, ...REPORTED_ROWS];
