import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { isTraceParent } from '../../src/core/trace-parent.ts';
import { createPassiveTracer } from '../../src/telemetry/passive-tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = { traceParent: `00-${TRACE}-b7ad6b7169203331-00`, traceState: 'vendor=1' };

test('a passive span goes on with the trace and the flags of its parent, under an id of its own', () => {
  const tracer = createPassiveTracer(systemIds());
  const span = tracer.start('a', { kind: 'server', parent: CALLER });
  const below = tracer.start('b', { kind: 'client', parent: span });
  for (const { traceParent, traceState } of [span, below]) {
    assert.match(traceParent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    assert.equal(traceState, 'vendor=1');
  }
  assert.equal(new Set([CALLER.traceParent, span.traceParent, below.traceParent]).size, 3);
  assert.equal(span.traceParent, span.traceParent, 'it keeps its id');
});

test('without a parent a passive span begins a trace, which what follows from it stays in', () => {
  const tracer = createPassiveTracer(systemIds());
  const root = tracer.start('a', { kind: 'internal' });
  const below = tracer.start('b', { kind: 'internal', parent: root });
  assert.ok(isTraceParent(root.traceParent));
  assert.equal(below.traceParent.slice(0, 36), root.traceParent.slice(0, 36));
  assert.notEqual(root.traceParent.slice(0, 36), tracer.start('c', { kind: 'internal' }).traceParent.slice(0, 36));
});

/** Prints the packages that a module and all that it imports are made of. */
const LOADED = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  load(url, context, next) {
    packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
    return next(url, context);
  },
});
await import('./src/host/start-host.ts');
process.stdout.write([...packages].join(' '), () => process.exit(0));
`;

/** The API alone comes with prom-client. */
test('a host that exports no traces loads nothing of OpenTelemetry', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', LOADED], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    timeout: 60_000,
  });
  const packages = stdout.split(' ');
  assert.ok(packages.includes('fastify') && packages.includes('prom-client'), stdout + stderr);
  assert.deepEqual(
    packages.filter((name) => name.startsWith('@opentelemetry/')).filter((name) => name !== '@opentelemetry/api'),
    [],
  );
});
