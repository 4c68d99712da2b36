import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { describeConfig } from '../../src/config/describe-config.ts';
import { type Config, loadConfig } from '../../src/config/load-config.ts';
import { Secret } from '../../src/config/secret.ts';
import { AppError } from '../../src/core/errors.ts';

interface World {
  env?: Record<string, string>;
  files?: Record<string, string>;
  configFile?: string;
  cores?: number;
}

const TOKEN = 'canary-0123456789abcdef';

function load({ env = {}, files = {}, configFile, cores = 2 }: World = {}): Config {
  return loadConfig({ configFile, cores, source: { env, cwd: '/srv', readFile: (path) => files[path] } });
}

function problemsOf(world: World): string[] {
  try {
    load(world);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'CONFIG_INVALID');
    return String(error.params.problems)
      .split('\n')
      .map((line) => line.trim());
  }
  assert.fail('the configuration was accepted');
}

function fileOf(settings: unknown): Record<string, string> {
  return { '/srv/v8host.config.json': JSON.stringify(settings) };
}

describe('configuration', () => {
  it('has a value for everything when nothing is configured', () => {
    const config = load();
    assert.deepEqual(
      { ...config, originOf: undefined, isConfigured: undefined },
      {
        tenant: 'demo',
        dataDir: './data',
        demo: true,
        timezone: 'Asia/Shanghai',
        lang: 'zh',
        drainSeconds: 20,
        reconcileSeconds: 15,
        http: { bind: '127.0.0.1', port: 7070, keys: [], callsPerSecond: 200, allowedOrigins: [], trustedProxies: [] },
        identity: { tokenHours: 12, loginDays: 30, keyRotationDays: 30 },
        secrets: {},
        deprecations: [],
        log: { level: 'info', format: 'auto' },
        telemetry: { otlpHeaders: new Secret('{}'), sampleRatio: 1, serviceName: 'v8host' },
        sandbox: {
          lanes: 4,
          rssMb: 300,
          strict: false,
          strictIdleSeconds: 60,
          allowUntestedVersions: false,
          cpu: { burstSeconds: 30 },
        },
        run: { wallSeconds: 60, cpuSeconds: 10, heapMb: 128 },
        limits: {
          maxWallSeconds: 600,
          maxHeapMb: 512,
          resultKb: 1024,
          paramKb: 8192,
          argumentKb: 16384,
          replyKb: 16384,
          hostCalls: 10000,
          hostCallsPerSecond: 20000,
          runs: 128,
          runsPerTenant: 32,
          runsPerEngine: 16,
          queueWaitSeconds: 30,
          nesting: 32,
          logLines: 256,
          logKb: 64,
          tenants: [],
        },
        breaker: {
          windowSeconds: 60,
          minRuns: 20,
          troublePercent: 50,
          throwPercent: 90,
          pauseSeconds: 2,
          maxPauseSeconds: 8,
          killWindowSeconds: 600,
          killMinRuns: 3,
          killPercent: 50,
          killPauseSeconds: 10,
          maxKillPauseSeconds: 300,
        },
        mqtt: { bind: '127.0.0.1', shared: { enabled: false, port: 7883 }, tls: { port: 8883, only: false } },
        queue: { type: 'classic', consumerTimeoutSeconds: 1800 },
        pool: { perTenant: 10 },
        cache: { keysPerTenant: 100_000, mbPerTenant: 256 },
        outbound: { allow: [], tenants: {} },
        modules: { dir: './modules', handlers: {} },
        retention: {
          deadLetterDays: 30,
          inboxDays: 37,
          attemptDays: 30,
          logDays: 14,
          versionDays: 365,
          auditDays: 365,
        },
        file: undefined,
        originOf: undefined,
        isConfigured: undefined,
      },
    );
    assert.equal(config.isConfigured('http.port'), false);
  });

  it('takes URLs of the real engines, never prints them, and then reads bindings less often', () => {
    const urls = {
      V8HOST_DATABASE_URL: 'mysql://shop:s3cret-db@db:3306/shop',
      V8HOST_QUEUE_URL: 'amqps://shop:s3cret-mq@mq/shop',
      V8HOST_CACHE_URL: 'redis://:s3cret-redis@cache',
    };
    const config = load({ env: urls });
    assert.equal(config.databaseUrl?.reveal(), urls.V8HOST_DATABASE_URL);
    assert.equal(config.reconcileSeconds, 180);
    assert.doesNotMatch(JSON.stringify(config), /s3cret/);
    const wrong = { V8HOST_DATABASE_URL: 'postgres://u:s3cret-db@h/d', V8HOST_QUEUE_URL: 'mq:5672 s3cret-mq' };
    assert.throws(
      () => load({ env: wrong }),
      (error: Error) => {
        assert.match(error.message, /databaseUrl \(V8HOST_DATABASE_URL\)[\s\S]*queueUrl \(V8HOST_QUEUE_URL\)/);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      },
    );
  });

  it('has as many lanes as cores, 4 to 16', () => {
    assert.equal(load({ cores: 96 }).sandbox.lanes, 16);
    assert.equal(load({ cores: 8 }).sandbox.lanes, 8);
    assert.equal(load({ cores: 1 }).sandbox.lanes, 4);
  });

  it('puts the environment before the file and the file before the default', () => {
    const config = load({
      files: fileOf({ http: { port: 8001, bind: '0.0.0.0' }, log: { level: 'warn' } }),
      env: { V8HOST_HTTP_PORT: '8002', V8HOST_DATA_DIR: '/data' },
    });
    assert.deepEqual(
      { ...config.http },
      { bind: '0.0.0.0', port: 8002, keys: [], callsPerSecond: 200, allowedOrigins: [], trustedProxies: [] },
    );
    assert.deepEqual(
      ['http.port', 'http.bind', 'dataDir', 'log.level', 'log.format'].map((path) => config.originOf(path)),
      ['environment', 'file', 'environment', 'file', 'default'],
    );
    assert.equal(config.isConfigured('http.port'), true);
    assert.equal(config.file, 'v8host.config.json');
  });

  it('takes a configured value for configured even when it equals the default', () => {
    assert.equal(load({ env: { V8HOST_HTTP_PORT: '7070' } }).isConfigured('http.port'), true);
  });

  it('reads numbers, booleans and lists from the environment', () => {
    const config = load({
      env: {
        V8HOST_RUN_HEAP_MB: '64',
        V8HOST_DEMO: 'true',
        V8HOST_OUTBOUND_ALLOW: 'erp.internal:8443, 10.0.0.5 ,[::1]:80',
      },
    });
    assert.equal(config.run.heapMb, 64);
    assert.equal(config.demo, true);
    assert.deepEqual(config.outbound.allow, ['erp.internal:8443', '10.0.0.5', '[::1]:80']);
  });

  it('switches the demo off as soon as anything but language and log is configured, unless it is asked for', () => {
    assert.equal(load({ env: { V8HOST_TENANT: 'shop' } }).demo, false);
    assert.equal(load({ files: fileOf({ http: { port: 8001 } }) }).demo, false);
    assert.equal(load({ files: fileOf({ lang: 'en' }), env: { V8HOST_LOG_LEVEL: 'debug' } }).demo, true);
    assert.equal(load({ files: fileOf({}) }).demo, true);
    assert.equal(load({ env: { V8HOST_TENANT: 'shop', V8HOST_DEMO: '1' } }).demo, true);
    assert.equal(load({ env: { V8HOST_DEMO: 'false' } }).demo, false);
  });

  it('takes an empty variable for an absent one', () => {
    const config = load({ env: { V8HOST_HTTP_PORT: '', V8HOST_HTTP_TOKEN: ' ' } });
    assert.equal(config.http.port, 7070);
    assert.equal(config.http.token, undefined);
    assert.equal(config.demo, true);
  });

  it('knows the main tenant also as OsClient, and leaves the variables of the command line alone', () => {
    assert.equal(load({ env: { OsClient: 'acme' } }).tenant, 'acme');
    assert.equal(load({ env: { OsClient: 'acme', V8HOST_TENANT: 'other' } }).tenant, 'other');
    assert.equal(load({ env: { V8HOST_URL: 'http://h', V8HOST_TOKEN: 'x' } }).tenant, 'demo');
  });

  it('reads the file that --config or V8HOST_CONFIG names, and fails when it is missing', () => {
    const files = { '/etc/a.json': '{"tenant":"a"}', '/srv/b.json': '\ufeff{"tenant":"b"}' };
    assert.equal(load({ files, configFile: '/etc/a.json', env: { V8HOST_CONFIG: 'b.json' } }).tenant, 'a');
    assert.equal(load({ files, env: { V8HOST_CONFIG: 'b.json' } }).tenant, 'b');
    assert.deepEqual(problemsOf({ configFile: 'c.json' }), [
      'c.json: 配置文件不存在 / the configuration file does not exist',
    ]);
  });

  it('reports all problems together, each with path, variable and rule in both languages', () => {
    const problems = problemsOf({
      files: fileOf({
        tenant: '-x',
        http: { port: 70_000 },
        timezone: '+08:00',
        run: [],
        outbound: { allow: ['ok', 'http://x'] },
      }),
      env: {
        V8HOST_LOG_LEVEL: 'loud',
        V8HOST_RUN_CPU_SECONDS: 'ten',
        V8HOST_DRAIN_SECONDS: '1.5',
        V8HOST_HTTP_BIND: 'a b',
      },
    });
    const about = (where: string) => problems.filter((problem) => problem.startsWith(where));
    assert.match(about('tenant (V8HOST_TENANT)')[0] ?? '', /租户.* \/ OsClient is not a tenant name/);
    assert.match(about('http.port (V8HOST_HTTP_PORT)')[0] ?? '', /65535 \/ Too big.*65535/);
    assert.match(about('http.bind (V8HOST_HTTP_BIND)')[0] ?? '', /an IP address or a host name/);
    assert.match(about('timezone (V8HOST_TIMEZONE)')[0] ?? '', /IANA/);
    assert.match(about('log.level (V8HOST_LOG_LEVEL)')[0] ?? '', /debug.*warn/);
    assert.match(about('drainSeconds (V8HOST_DRAIN_SECONDS)')[0] ?? '', /int/);
    assert.match(about('outbound.allow.1 (V8HOST_OUTBOUND_ALLOW)')[0] ?? '', /host:port/);
    assert.match(about('run:')[0] ?? '', /object/);
    assert.equal(problems.length, 8);
  });

  it('says for a variable what it says for the file', () => {
    const [problem] = problemsOf({ env: { V8HOST_RUN_CPU_SECONDS: 'ten' } });
    assert.match(problem ?? '', /^run\.cpuSeconds \(V8HOST_RUN_CPU_SECONDS\): .*number/);
  });

  it('refuses unknown keys and variables and names the nearest one', () => {
    const problems = problemsOf({
      files: fileOf({ http: { prot: 1 }, tenent: 'x', whatever: { deep: 1 } }),
      env: { V8HOST_HTP_PORT: '1', V8HOST_ZZZZZZZZZ: '1', v8host_lower: 'not ours' },
    });
    assert.deepEqual(problems.sort(), [
      'V8HOST_HTP_PORT: 未知的设置，是否为 V8HOST_HTTP_PORT？ / no such setting, did you mean V8HOST_HTTP_PORT?',
      'V8HOST_ZZZZZZZZZ: 未知的设置 / no such setting',
      'http.prot: 未知的设置，是否为 http.port？ / no such setting, did you mean http.port?',
      'tenent: 未知的设置，是否为 tenant？ / no such setting, did you mean tenant?',
      'whatever: 未知的设置 / no such setting',
    ]);
  });

  it('refuses __proto__ in the file like any unknown key', () => {
    const files = { '/srv/v8host.config.json': '{"__proto__":{"demo":false},"http":{"__proto__":{"port":1}}}' };
    const problems = problemsOf({ files });
    assert.equal(problems.length, 2);
    assert.ok(problems.every((problem) => problem.includes('__proto__')));
    assert.equal(({} as { port?: number }).port, undefined);
  });

  it('names the place of a JSON error without quoting the file', () => {
    const text = `{\n  "http": {"token": "${TOKEN}" oops}\n}`;
    const [problem] = problemsOf({ files: { '/srv/v8host.config.json': text } });
    assert.match(problem ?? '', /^v8host\.config\.json: .*not valid JSON \(line 2 column \d+\)/);
    assert.doesNotMatch(problem ?? '', /canary/);
    assert.match(problemsOf({ files: { '/srv/v8host.config.json': '[1]' } })[0] ?? '', /JSON object/);
    assert.match(problemsOf({ files: { '/srv/v8host.config.json': '{"a":' } })[0] ?? '', /not valid JSON/);
  });

  it('refuses an inbox that forgets before the dead letters do', () => {
    const [problem] = problemsOf({ env: { V8HOST_RETENTION_DEAD_LETTER_DAYS: '31' } });
    assert.match(
      problem ?? '',
      /^retention\.inboxDays \(V8HOST_RETENTION_INBOX_DAYS\): .*retention\.deadLetterDays \+ 7/,
    );
    const kept = load({ env: { V8HOST_RETENTION_DEAD_LETTER_DAYS: '31', V8HOST_RETENTION_INBOX_DAYS: '38' } });
    assert.equal(kept.retention.inboxDays, 38);
  });

  it('refuses shared MQTT sessions without the stores that hosts share', () => {
    const env = { V8HOST_MQTT_SHARED_ENABLED: 'true' };
    assert.match(problemsOf({ env })[0] ?? '', /^mqtt\.shared\.enabled .*needs databaseUrl and cacheUrl/);
    const urls = { V8HOST_DATABASE_URL: 'mysql://u:p@db/main', V8HOST_CACHE_URL: 'redis://cache:6379/0' };
    assert.equal(load({ env: { ...env, ...urls } }).mqtt.shared.enabled, true);
    assert.equal(problemsOf({ env: { ...env, V8HOST_DATABASE_URL: urls.V8HOST_DATABASE_URL } }).length, 1);
  });

  it('refuses a process limit that the heap limit cannot come before', () => {
    assert.match(problemsOf({ env: { V8HOST_RUN_HEAP_MB: '256' } })[0] ?? '', /^sandbox\.rssMb .*run\.heapMb \+ 100/);
    const low = { V8HOST_LIMITS_MAX_WALL_SECONDS: '30', V8HOST_LIMITS_MAX_HEAP_MB: '64' };
    assert.deepEqual(
      problemsOf({ env: low }).map((problem) => problem.split(' ')[0]),
      ['run.wallSeconds', 'run.heapMb'],
    );
    const cap = problemsOf({ env: { V8HOST_LIMITS_TENANTS: 'shop.wallSeconds=5,shop.heapMB=x' } });
    assert.match(cap[0] ?? '', /^limits\.tenants\.1 .*use heapMb/);
  });

  it('is frozen all through', () => {
    const config = load();
    assert.throws(() => Object.assign(config, { tenant: 'x' }), TypeError);
    assert.throws(() => Object.assign(config.http, { port: 1 }), TypeError);
    assert.throws(() => (config.outbound.allow as string[]).push('x'), TypeError);
  });
});

describe('secrets of the configuration', () => {
  it('come from a file when the variable names one', () => {
    const config = load({ env: { V8HOST_HTTP_TOKEN_FILE: 'token.txt' }, files: { '/srv/token.txt': `${TOKEN}\n` } });
    assert.equal(config.http.token?.reveal(), TOKEN);
    assert.equal(config.isConfigured('http.token'), true);
  });

  it('fail when the file is missing, or both are set', () => {
    assert.match(
      problemsOf({ env: { V8HOST_HTTP_TOKEN_FILE: 'no.txt' } })[0] ?? '',
      /^V8HOST_HTTP_TOKEN_FILE: .*no\.txt is missing/,
    );
    const both = { V8HOST_HTTP_TOKEN_FILE: 'token.txt', V8HOST_HTTP_TOKEN: TOKEN };
    assert.match(
      problemsOf({ env: both, files: { '/srv/token.txt': TOKEN } })[0] ?? '',
      /set either this or V8HOST_HTTP_TOKEN/,
    );
  });

  it('are refused without being shown', () => {
    const [problem] = problemsOf({ env: { V8HOST_HTTP_TOKEN: 'canary short' } });
    assert.match(problem ?? '', /^http\.token \(V8HOST_HTTP_TOKEN\): .*at least 16/);
    assert.doesNotMatch(problem ?? '', /canary/);
    assert.doesNotMatch(problemsOf({ files: fileOf({ http: { token: { canary: 1 } } }) }).join(), /canary/);
  });

  it('do not appear in any text made of the configuration', () => {
    const config = load({ env: { V8HOST_HTTP_TOKEN: TOKEN } });
    const texts = [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${config.http.token}`,
      JSON.stringify(describeConfig(config)),
    ];
    for (const text of texts) assert.doesNotMatch(text, /canary/);
    assert.match(JSON.stringify(config), /"token":"\[secret\]"/);
  });

  it('are described with their origin', () => {
    const config = load({ env: { V8HOST_HTTP_TOKEN: TOKEN }, files: fileOf({ http: { port: 1234 } }) });
    const described = new Map(describeConfig(config).map((setting) => [setting.path, setting]));
    assert.deepEqual(described.get('http.token'), {
      path: 'http.token',
      variable: 'V8HOST_HTTP_TOKEN',
      value: '[secret]',
      origin: 'environment',
    });
    assert.deepEqual([described.get('http.port')?.value, described.get('http.port')?.origin], ['1234', 'file']);
    assert.deepEqual([described.get('tenant')?.value, described.get('tenant')?.origin], ['"demo"', 'default']);
    assert.equal(new Map(describeConfig(load()).map((each) => [each.path, each.value])).get('http.token'), '-');
  });
});
