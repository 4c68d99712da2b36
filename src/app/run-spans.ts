/** What the host tells of a run in its trace: names and attributes (docs/traces.md). */
import type { RunOutcome } from '../core/run-outcome.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { HostCallTrace } from '../ports/journal.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { Span, SpanAttributes, Tracer } from '../ports/tracer.ts';

/** What runs, and what it follows from. */
export interface TracedRun {
  readonly engineKey: string;
  readonly version: string;
  readonly parent: TraceContext | undefined;
}

interface RunPlace {
  readonly tenant: string;
  readonly runId: string;
}

/** The span of one engine's run, nested ones included. */
export function startRunSpan(tracer: Tracer, { tenant, runId }: RunPlace, run: TracedRun): Span {
  return tracer.start(`run ${run.engineKey}`, {
    kind: 'internal',
    parent: run.parent,
    attributes: {
      'v8host.tenant': tenant,
      'v8host.engine': run.engineKey,
      'v8host.engine.version': run.version,
      'v8host.run_id': runId,
    },
  });
}

/** Ends the span of a run as its script ended. */
export function endRunSpan(span: Span, outcome: RunOutcome): void {
  span.set({ 'v8host.outcome': outcome.kind });
  if ('error' in outcome && 'code' in outcome.error) span.end(outcome.error.code);
  else span.end(outcome.kind === 'returned' || outcome.kind === 'nothing' ? undefined : outcome.kind);
}

/** Families of host calls that ask a server, or the database. */
const CLIENTS: ReadonlySet<string> = new Set([
  ...['FormEngine', 'Db', 'DbTrans', 'DbRead', 'Dbs', 'MongoDb', 'Cache', 'Http'],
]);

/** The span of one host call. @param name checked: one of the table's, or `unknown`. */
export function startCallSpan(tracer: Tracer, parent: TraceContext, name: string): Span {
  const kind = CLIENTS.has(familyOf(name)) ? 'client' : 'internal';
  return tracer.start(`V8.${name}`, { kind, parent });
}

/** Ends the span of a host call. @param error code of the error that its result tells of. */
export function endCallSpan(
  span: Span,
  call: { readonly store: TenantStore; readonly trace: HostCallTrace },
  error: string | undefined,
): void {
  span.set(callAttributes(call.store, call.trace));
  span.end(error);
}

/** Where the tenant's tables are, as OpenTelemetry names it. */
export function databaseSystem(store: Pick<TenantStore, 'singleWriter'>): string {
  return store.singleWriter ? 'sqlite' : 'mysql';
}

function callAttributes(store: TenantStore, { name, code, target }: HostCallTrace): SpanAttributes {
  const common = { 'v8host.tenant': store.tenant, 'v8host.code': code ?? undefined };
  const [family, operation] = [familyOf(name), name.slice(name.indexOf('.') + 1)];
  const named = nameOf(target);
  switch (family) {
    case 'FormEngine':
    case 'Db':
    case 'DbTrans':
    case 'DbRead':
      return {
        ...common,
        'db.system.name': databaseSystem(store),
        'db.operation.name': operation,
        'db.collection.name': named,
      };
    case 'Dbs':
      return { ...common, 'db.operation.name': operation, 'db.collection.name': named };
    case 'MongoDb':
      return {
        ...common,
        'db.system.name': 'mongodb',
        'db.operation.name': operation,
        'db.collection.name': named,
      };
    case 'Http':
      return {
        ...common,
        'http.request.method': operation.replace('Response', '').toUpperCase(),
        'server.address': named,
      };
    case 'ApiEngine':
      return { ...common, 'v8host.target': named };
    default:
      // Keys of caches and inboxes, and topics, may say something about people.
      return common;
  }
}

/** What a script wrote where a name belongs may be a connection string, or anything. */
function nameOf(target: string | undefined): string | undefined {
  return target !== undefined && /^[\p{L}\p{N}_.,:/$ -]{1,200}$/u.test(target) ? target : undefined;
}

function familyOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? name : name.slice(0, dot);
}
