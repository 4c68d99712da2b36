/** A script addresses its own tenant only (architecture.md G5). */
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { sameTenant } from '../core/tenant.ts';
import { asText, isBlank } from './param-values.ts';

/** Refuses parameters that name another tenant; blank is the own one. @throws AppError TENANT_MISMATCH. */
export function checkTenant(values: JsonObject, tenant: string): void {
  for (const value of [values.OsClient, values._OsClient]) {
    if (isBlank(value)) continue;
    if (!sameTenant(asText(value)?.trim() ?? '', tenant)) throw new AppError('TENANT_MISMATCH', { tenant });
  }
}
