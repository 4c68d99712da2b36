import { call, tenantPath } from '../api/client.ts';
import type { BindingView } from '../api/shapes.ts';

/** A binding as it is typed; numbers may be text until they are sent. */
export interface BindingForm {
  queue: string;
  engineKey: string;
  enabled: boolean;
  inbox: boolean;
  retryCount: number | string;
  backoff: string;
  prefetch: number | string;
  timeoutSeconds: number | string;
  orderKey: string;
  queueType: string;
  legacyAck: boolean;
}

/** The defaults of the API, or what the row says; one that cannot be served has defaults for what it does not. */
export function formOf(row: BindingView | undefined): BindingForm {
  return {
    queue: row?.queue ?? '',
    engineKey: row?.engineKey ?? '',
    enabled: row?.enabled ?? true,
    inbox: row?.inbox ?? true,
    retryCount: row?.retryCount ?? 0,
    backoff: row?.backoff ?? 'exp:1s..60s',
    prefetch: row?.prefetch ?? 1,
    timeoutSeconds: row?.timeoutSeconds ?? '',
    orderKey: row?.orderKey ?? '',
    queueType: row?.queueType ?? '',
    legacyAck: row?.legacyAck ?? false,
  };
}

/** @throws ApiFailure naming the field that the host refused. */
export async function saveBinding(tenant: string, row: BindingView | undefined, form: BindingForm): Promise<void> {
  const { engineKey, ...settings } = form;
  const body = {
    ...settings,
    // An engine that stays is left out: the handler may be a registered module, which is none.
    ...(engineKey === row?.engineKey ? {} : { engineKey }),
    retryCount: numberOf(form.retryCount),
    prefetch: numberOf(form.prefetch),
    timeoutSeconds: form.timeoutSeconds === '' ? null : numberOf(form.timeoutSeconds),
    queueType: form.queueType === '' ? null : form.queueType,
  };
  if (row === undefined) await call('POST', tenantPath(tenant, 'bindings'), { body });
  else await call('PATCH', tenantPath(tenant, 'bindings', row.id), { body });
}

/** What is no number goes as it is, for the host to say so. */
function numberOf(typed: number | string): number | string {
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
}
