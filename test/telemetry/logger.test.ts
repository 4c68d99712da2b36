import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Secret } from '../../src/config/secret.ts';
import { AppError } from '../../src/core/errors.ts';
import type { LogFields } from '../../src/ports/log.ts';
import { createLogger, type LoggerOptions } from '../../src/telemetry/logger.ts';

const CANARY = 'hunter2-canary';

function open(options: Partial<LoggerOptions> & { isTTY?: boolean } = {}) {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line), isTTY: options.isTTY ?? false };
  const log = createLogger({ level: 'debug', format: 'auto', ...options, stream });
  return { log, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** What the first line says about its error. */
function errOf([record]: Record<string, unknown>[]): unknown {
  return record?.err ?? assert.fail('the line has no error');
}

describe('host log', () => {
  it('writes one JSON line with time, level, component and event', () => {
    const { log, lines, records } = open();
    log.child('app.handle-delivery').info('delivery.settled', { tenant: 'demo', attempt: 1, durationMs: 2.5 });
    const [record] = records();
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^[^\n]*\n$/);
    assert.ok(Math.abs(Date.parse(String(record?.time)) - Date.now()) < 60_000);
    assert.deepEqual(
      { ...record, time: undefined },
      {
        level: 'info',
        time: undefined,
        component: 'app.handle-delivery',
        event: 'delivery.settled',
        tenant: 'demo',
        attempt: 1,
        durationMs: 2.5,
      },
    );
  });

  it('leaves out what is below its level', () => {
    const { log, records } = open({ level: 'warn' });
    log.debug('lane.started');
    log.info('lane.started');
    log.warn('lane.killed');
    log.error('lane.start_failed');
    assert.deepEqual(
      records().map(({ level }) => level),
      ['warn', 'error'],
    );
  });

  it('writes one human line on a terminal, and JSON there when asked', () => {
    const terminal = open({ isTTY: true });
    terminal.log.child('app').warn('queue.write_failed', {
      file: 'a b.db',
      rows: 3,
      err: new AppError('QUEUE_UNAVAILABLE', {}, { cause: new Error('disk\nfull') }),
    });
    assert.match(
      terminal.lines.join(''),
      /^\d\d:\d\d:\d\d WARN {2}queue\.write_failed \[app\] file="a b\.db" rows=3 \| QUEUE_UNAVAILABLE: The queue [^\n]* <- disk full\n$/,
    );
    const forced = open({ isTTY: true, format: 'json' });
    forced.log.info('host.started');
    assert.equal(forced.records()[0]?.event, 'host.started');
  });

  it('writes an error once: code, message and the chain of causes', () => {
    const { log, records } = open();
    const driver = Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' });
    log.error('task.failed', { err: new AppError('DB_UNAVAILABLE', { reason: 'locked' }, { cause: driver }) });
    assert.deepEqual(errOf(records()), {
      code: 'DB_UNAVAILABLE',
      message: 'The database is unavailable: locked',
      causes: ['ERR_SQLITE_ERROR: database is locked'],
    });
  });

  it('shows where an unexpected error arose, without repeating its text', () => {
    const { log, lines, records } = open();
    log.error('task.failed', { err: new AppError('INTERNAL', {}, { cause: new TypeError('x is no function') }) });
    const { stack } = errOf(records()) as { stack: string[] };
    assert.match(stack[0] ?? '', /^at .*logger\.test\.ts/);
    assert.equal(lines.join('').split('x is no function').length, 2);
  });

  it('ends a chain of causes that leads back to itself', () => {
    const { log, records } = open();
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    log.error('task.failed', { err: first });
    assert.deepEqual((errOf(records()) as { causes: string[] }).causes, ['second']);
  });

  it('cuts a long message', () => {
    const { log, lines } = open();
    log.error('task.failed', { err: new Error('x'.repeat(100_000)) });
    assert.ok((lines[0] ?? '').length < 3_000);
  });

  for (const name of [
    'password',
    'dbPassword',
    'accessToken',
    'token',
    'client_secret',
    'Authorization',
    'cookie',
    'apiKey',
    'X-Api-Key',
    'credentials',
  ]) {
    it(`masks a field called ${name}`, () => {
      const { log, lines, records } = open();
      log.info('host.started', { [name]: CANARY });
      assert.doesNotMatch(lines.join(''), new RegExp(CANARY));
      assert.equal(records()[0]?.[name], '[secret]');
    });
  }

  it('masks credentials in URLs, also in the messages of errors', () => {
    const { log, lines } = open();
    const url = `amqp://guest:${CANARY}@${CANARY}@rabbit.example:5672/vhost`;
    log.warn('task.failed', { url, err: new Error(`cannot reach ${url}`, { cause: new Error(`at ${url}`) }) });
    assert.doesNotMatch(lines.join(''), new RegExp(CANARY));
    assert.match(lines.join(''), /amqp:\/\/\[secret\]@rabbit\.example/);
  });

  it('never writes what a Secret holds', () => {
    const { log, lines } = open();
    const secret = new Secret(CANARY);
    log.info('host.started', { value: secret } as unknown as LogFields);
    log.info('host.started', { value: `${secret}` });
    assert.doesNotMatch(lines.join(''), new RegExp(CANARY));
  });

  it('does not let a field take the place of the event, level, time or component', () => {
    const { log, records } = open();
    log.child('real').info('host.started', { event: 'x', level: 'x', time: 'x', component: 'x' });
    const { event, level, component } = records()[0] ?? {};
    assert.deepEqual([event, level, component], ['host.started', 'info', 'real']);
    assert.notEqual(records()[0]?.time, 'x');
  });

  it('does not compile with an event name that is not listed', () => {
    const { log, lines } = open();
    // @ts-expect-error: the name is not in core/log-events.ts
    log.info('host.exploded');
    assert.equal(lines.length, 1);
  });

  it('has written its last line when the process ends at once', () => {
    const logger = fileURLToPath(new URL('../../src/telemetry/logger.ts', import.meta.url));
    const script = `import { createLogger } from ${JSON.stringify(logger)};
      createLogger({ level: 'info', format: 'auto' }).error('host.start_failed');
      process.kill(process.pid, 'SIGKILL');`;
    let output = '';
    try {
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    } catch (error) {
      output = String((error as { stdout: Buffer }).stdout);
    }
    assert.match(output, /"event":"host\.start_failed"/);
  });
});
