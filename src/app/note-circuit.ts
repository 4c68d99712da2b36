import type { LogEvent } from '../core/log-events.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { CircuitView } from './circuit-book.ts';

export type CircuitKind = 'binding' | 'engine';

const EVENTS: Readonly<Record<CircuitKind, Readonly<Record<CircuitView['phase'], LogEvent>>>> = {
  binding: { open: 'breaker.opened', probing: 'breaker.probed', closed: 'breaker.closed' },
  engine: { open: 'engine.paused', probing: 'engine.probed', closed: 'engine.resumed' },
};

/** Tells the operator that a circuit changed. A tenant's trouble is a warning, never an error. */
export function noteCircuit(kind: CircuitKind, view: CircuitView, { log, metrics }: { log: Log; metrics: Metrics }) {
  const { tenant, subject, phase, since, until, pauses } = view;
  const fields = {
    tenantId: tenant,
    ...(kind === 'binding' ? { queue: subject } : { engineKey: subject }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(pauses === undefined ? {} : { pauses }),
  };
  log[phase === 'open' ? 'warn' : 'info'](EVENTS[kind][phase], fields);
  if (phase === 'open') metrics.circuitOpened(kind, tenant, subject);
}
