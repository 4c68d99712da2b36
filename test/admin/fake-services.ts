import type { AdminServices, HostHealth, PushOutcome } from '../../src/admin/services.ts';
import type { EntryCall } from '../../src/app/call-entry.ts';
import type { RefusedReplay } from '../../src/app/dead-letters.ts';
import type { EngineSaved } from '../../src/app/manage-engines.ts';
import type { TopicBindingView } from '../../src/app/manage-topic-bindings.ts';
import type { TenantLimits } from '../../src/app/read-limits.ts';
import type { TrialReport } from '../../src/app/try-message.ts';
import { brokerAccountOf } from '../../src/core/broker-account.ts';
import { succeed } from '../../src/core/dos-result.ts';
import type { EngineSource } from '../../src/core/engine.ts';
import { NO_ENGINE_LIMITS } from '../../src/core/engine-limits.ts';
import type { EntryAnswer } from '../../src/core/entry-answer.ts';
import { AppError, type ErrorRecord, type Lang } from '../../src/core/errors.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { DEFAULT_RUN_LIMITS } from '../../src/core/run-limits.ts';
import type { BackupReport } from '../../src/ports/backup.ts';
import type { DeadGroup } from '../../src/ports/dead-letters.ts';
import type { EngineVersion } from '../../src/ports/engine-versions.ts';
import type { EventStory, LogFilter, LogLine } from '../../src/ports/journal.ts';
import type { Log, LogFields } from '../../src/ports/log.ts';
import type { OutboxRowWhole } from '../../src/ports/outbox-inspection.ts';
import type { LeftOut } from '../../src/ports/push.ts';
import type { RotationReport, SecretsStatus } from '../../src/ports/secret-box.ts';
import type { TableInfo } from '../../src/ports/table-store.ts';
import type { ParkedRow, StoredBinding, TenantStatus } from '../../src/ports/tenant-store.ts';

const SECRETS: SecretsStatus = {
  keys: ['0a1b2c3d'],
  sealed: { '0a1b2c3d': 2 },
  plain: [{ tenant: 'Shop-1', name: 'MQPassword' }],
  unreadable: [{ tenant: 'demo', name: 'MqttPwd', keyId: 'ffffffff', code: 'SECRET_KEY_MISSING' }],
};

/** A topic of devices that goes into a queue. */
export const TOPIC_BINDING: TopicBindingView = {
  id: 't1',
  filter: 'tenant/demo/sensor/+',
  queue: 'readings',
  engineKey: null,
  eventIdPath: 'head.id',
  enabled: true,
  refusal: undefined,
};

/** A host with two tenants that remembers what it was asked and answers as each test sets it. */
export class FakeServices implements AdminServices {
  readonly calls: { readonly method: string; readonly args: readonly unknown[] }[] = [];
  tenants: TenantStatus[] = [
    { tenant: 'demo', main: true, state: 'open' },
    { tenant: 'Shop-1', main: false, state: 'unavailable', reason: 'file is not a database' },
  ];
  runResult: JsonValue = null;
  /** Thrown by every method but `health`, when set. */
  failure: unknown;
  leftOut: readonly LeftOut[] = [];
  refusals: ErrorRecord[] = [];
  eventStory: EventStory = STORY;
  parked: ParkedRow[] = [DEAD_ROW];
  replayed = 1;
  refusedReplays: RefusedReplay[] = [];
  /** A page of dead letters is followed by another one. */
  hasNextPage = false;
  deadGroups: DeadGroup[] = [
    {
      group: '0123456789abcdef',
      reason: 'budget-exhausted',
      rows: 3,
      queues: 2,
      firstAt: T0,
      lastAt: T0 + 5000,
      error: 'The script threw: Error: no stock for P-17',
    },
  ];
  tenantLimits: TenantLimits = LIMITS;
  state: HostHealth = {
    ready: true,
    phase: 'running',
    tenants: [{ tenant: 'demo', main: true, state: 'open' }],
    queue: { ready: true },
    cache: { ready: true },
    lanes: { lanes: 2, busy: 1, waiting: 0 },
    load: [{ tenant: 'demo', running: 1, waiting: 2, cpuBalanceMs: -250, quarantined: false }],
  };

  async backUp(dir: string | undefined): Promise<BackupReport> {
    this.#note('backUp', dir);
    const files = [{ path: 'host.db', bytes: 4096, sha256: '0'.repeat(64) }];
    return { dir: dir ?? '/data/backups/now', files, elsewhere: ['RabbitMQ'] };
  }

  async openProbes() {
    this.#note('openProbes');
    const account = (tenant: string) => ({ tenant, user: `${tenant}:device`, password: `password of ${tenant}` });
    return { id: '01jd0000000000000000000000', until: 1_800_000_000_000, accounts: [account('a'), account('b')] };
  }

  async closeProbes(id: string): Promise<void> {
    this.#note('closeProbes', id);
  }

  async secrets(): Promise<SecretsStatus> {
    this.#note('secrets');
    return SECRETS;
  }

  async rotateSecrets(options: { readonly sealPlain: boolean }): Promise<RotationReport> {
    this.#note('rotateSecrets', options);
    return { ...SECRETS, isNewKey: true, resealed: 2, sealedPlain: 1 };
  }

  topicBindings: TopicBindingView[] = [TOPIC_BINDING];
  readonly mqtt: AdminServices['mqtt'] = {
    status: async () => ({
      isRunning: false,
      isStandby: false,
      listeners: [],
      connected: 0,
      sessions: 0,
      queued: 0,
      dropped: 0,
    }),
    sessions: async () => [],
    retained: async () => [],
    publish: async (tenant, draft) => {
      this.#note('mqtt.publish', tenant, draft);
      return 2;
    },
    disconnect: async () => false,
    bindings: async () => this.topicBindings,
    addBinding: async (tenant, origin, draft) => {
      this.#note('mqtt.addBinding', tenant, origin, draft);
      this.#refuseUnknown(tenant);
      return TOPIC_BINDING;
    },
    changeBinding: async (tenant, origin, id, draft) => {
      this.#note('mqtt.changeBinding', tenant, origin, id, draft);
      this.#refuseUnknown(tenant);
      return TOPIC_BINDING;
    },
    removeBinding: async (tenant, origin, id) => {
      this.#note('mqtt.removeBinding', tenant, origin, id);
      this.#refuseUnknown(tenant);
    },
  };

  entryAnswer: EntryAnswer = { kind: 'json', value: { Code: 1 } };

  async callEntry(tenant: string, call: EntryCall) {
    this.#note('callEntry', tenant, call);
    this.#refuseUnknown(tenant);
    return this.entryAnswer;
  }

  engineList: EngineSource[] = [ENGINE];
  logLines: LogLine[] = [];

  async writeLog(tenant: string, line: Parameters<AdminServices['writeLog']>[1]) {
    this.#note('writeLog', tenant, line);
  }

  /** A stream would go on for ever. */
  followLogs(...args: Parameters<AdminServices['followLogs']>): never {
    this.#note('followLogs', ...args);
    this.#refuseUnknown(args[0]);
    throw new AppError('DRAINING');
  }

  async logs(tenant: string, filter: LogFilter) {
    this.#note('logs', tenant, filter);
    this.#refuseUnknown(tenant);
    return this.logLines.filter(({ id }) => filter.after === undefined || id > filter.after);
  }

  async listTenants() {
    this.#note('listTenants');
    return this.tenants;
  }

  async addTenant(tenant: string, databaseUrl: string | undefined) {
    this.#note('addTenant', tenant, databaseUrl);
    const known = this.tenants.some((status) => status.tenant.toLowerCase() === tenant.toLowerCase());
    if (known) throw new AppError('TENANT_EXISTS', { tenant });
    return { tenant, main: false, state: 'open' } as const;
  }

  async tenantSettings(tenant: string) {
    this.#note('tenantSettings', tenant);
    this.#refuseUnknown(tenant);
    return [{ name: 'MQPassword', value: null, isSet: true, isSecret: true, isHostsOwn: true }];
  }

  async changeTenantSettings(...args: Parameters<AdminServices['changeTenantSettings']>) {
    this.#note('changeTenantSettings', ...args);
    this.#refuseUnknown(args[0]);
    return [];
  }

  async reloadTenant(tenant: string) {
    this.#note('reloadTenant', tenant);
    this.#refuseUnknown(tenant);
  }

  async setUpBroker(tenant: string, access: Parameters<AdminServices['setUpBroker']>[1]) {
    this.#note('setUpBroker', tenant, access);
    this.#refuseUnknown(tenant);
    return brokerAccountOf(tenant, { user: '', password: '', vhost: '' }, () => 'generated-password');
  }

  async push(tenant: string, request: Parameters<AdminServices['push']>[1], ..._: unknown[]): Promise<PushOutcome> {
    this.#note('push', tenant, request);
    this.#refuseUnknown(tenant);
    if (this.refusals.length > 0) return { ok: false, refusals: this.refusals };
    const added = request.files.map((file) => file.path);
    const report = { added, changed: [], unchanged: ['old'], pruned: [] };
    return { ok: true, report, tables: ['shop_stock'], leftOut: this.leftOut };
  }

  async takeTurn(): Promise<void> {}

  async run(tenant: string, engineKey: string, param: JsonValue, lang?: Lang, ..._: unknown[]) {
    this.#note('run', tenant, engineKey, param, lang);
    this.#refuseUnknown(tenant);
    return this.runResult;
  }

  async sendMessage(...args: Parameters<AdminServices['sendMessage']>) {
    this.#note('sendMessage', ...args);
    this.#refuseUnknown(args[0]);
    return succeed({ EventId: args[2].eventId ?? '01JD0000000000000000000000' });
  }

  async story(tenant: string, eventId: string) {
    this.#note('story', tenant, eventId);
    this.#refuseUnknown(tenant);
    return eventId === this.eventStory.eventId ? this.eventStory : { ...EMPTY_STORY, eventId };
  }

  async deliveries(tenant: string, filter: Parameters<AdminServices['deliveries']>[1]) {
    this.#note('deliveries', tenant, filter);
    this.#refuseUnknown(tenant);
    return this.eventStory.attempts;
  }

  async deadLetters(tenant: string, filter: Parameters<AdminServices['deadLetters']>[1]) {
    this.#note('deadLetters', tenant, filter);
    this.#refuseUnknown(tenant);
    const [last] = this.parked;
    return {
      rows: this.parked,
      total: this.parked.length + (this.hasNextPage ? 1 : 0),
      next: this.hasNextPage ? last : undefined,
    };
  }

  async deadLetterGroups(tenant: string, filter: Parameters<AdminServices['deadLetterGroups']>[1]) {
    this.#note('deadLetterGroups', tenant, filter);
    this.#refuseUnknown(tenant);
    return this.deadGroups;
  }

  async deadLetter(tenant: string, choice: Parameters<AdminServices['deadLetter']>[1]) {
    this.#note('deadLetter', tenant, choice);
    this.#refuseUnknown(tenant);
    const row = this.parked.find(({ eventId }) => eventId === choice.eventId);
    if (row === undefined) throw new AppError('NOT_FOUND', { what: choice.eventId });
    return row;
  }

  async editDeadLetter(...args: Parameters<AdminServices['editDeadLetter']>) {
    this.#note('editDeadLetter', ...args);
    this.#refuseUnknown(args[0]);
    return args[2].eventId ?? args[1].eventId;
  }

  async tryMessage(...args: Parameters<AdminServices['tryMessage']>) {
    this.#note('tryMessage', ...args);
    this.#refuseUnknown(args[0]);
    return TRIAL;
  }

  outboxRows: OutboxRowWhole[] = [];

  async outbox(tenant: string, filter: Parameters<AdminServices['outbox']>[1]) {
    this.#note('outbox', tenant, filter);
    this.#refuseUnknown(tenant);
    return this.outboxRows;
  }

  async outboxRow(tenant: string, seq: number) {
    this.#note('outboxRow', tenant, seq);
    this.#refuseUnknown(tenant);
    const row = this.outboxRows.find((each) => each.seq === seq);
    if (row === undefined) throw new AppError('NOT_FOUND', { what: String(seq) });
    return row;
  }

  async retryOutbox(...args: Parameters<AdminServices['retryOutbox']>) {
    this.#note('retryOutbox', ...args);
    this.#refuseUnknown(args[0]);
    return 1;
  }

  async discardOutbox(...args: Parameters<AdminServices['discardOutbox']>) {
    this.#note('discardOutbox', ...args);
    this.#refuseUnknown(args[0]);
    return 1;
  }

  async purgeDeadLetters(tenant: string, filter: Parameters<AdminServices['purgeDeadLetters']>[1]) {
    this.#note('purgeDeadLetters', tenant, filter);
    this.#refuseUnknown(tenant);
    return this.parked.length;
  }

  async replayDeadLetters(tenant: string, filter: Parameters<AdminServices['replayDeadLetters']>[1]) {
    this.#note('replayDeadLetters', tenant, filter);
    this.#refuseUnknown(tenant);
    const key = { queue: DEAD_ROW.queue, eventId: DEAD_ROW.eventId, cycle: 1, attempt: 2 };
    return { replayed: Array<typeof key>(this.replayed).fill(key), refused: this.refusedReplays };
  }

  async limits(tenant: string, lang: Lang) {
    this.#note('limits', tenant, lang);
    this.#refuseUnknown(tenant);
    return this.tenantLimits;
  }

  async engines(tenant: string) {
    this.#note('engines', tenant);
    this.#refuseUnknown(tenant);
    return this.engineList.map(({ source: _, ...engine }) => engine);
  }

  tableList: TableInfo[] = [{ name: 'shop_order', writable: true, columns: [{ name: 'Qty', kind: 'integer' }] }];

  async tables(tenant: string) {
    this.#note('tables', tenant);
    this.#refuseUnknown(tenant);
    return this.tableList;
  }

  async engine(tenant: string, engineKey: string) {
    this.#note('engine', tenant, engineKey);
    this.#refuseUnknown(tenant);
    const engine = this.engineList.find(({ key }) => key.toLowerCase() === engineKey.toLowerCase());
    if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
    return engine;
  }

  versionList: EngineVersion[] = [];

  async engineVersions(tenant: string, engineKey: string, filter: Parameters<AdminServices['engineVersions']>[2]) {
    this.#note('engineVersions', tenant, engineKey, filter);
    this.#refuseUnknown(tenant);
    return { versions: this.versionList, current: this.engineList[0] };
  }

  async engineVersion(tenant: string, engineKey: string, no: number) {
    this.#note('engineVersion', tenant, engineKey, no);
    this.#refuseUnknown(tenant);
    const found = this.versionList.find((version) => version.no === no);
    if (found === undefined) throw new AppError('NOT_FOUND', { what: `${engineKey} ${no}` });
    return found;
  }

  async engineDiff(...args: Parameters<AdminServices['engineDiff']>) {
    this.#note('engineDiff', ...args);
    this.#refuseUnknown(args[0]);
    const { from, to } = args[2];
    return { from, to, lines: [{ sign: '+', text: 'return 1;' }] } as const;
  }

  async saveEngine(...args: Parameters<AdminServices['saveEngine']>) {
    this.#note('saveEngine', ...args);
    return this.#saved(args[0], args[2]);
  }

  async rollBackEngine(...args: Parameters<AdminServices['rollBackEngine']>) {
    this.#note('rollBackEngine', ...args);
    return this.#saved(args[0], args[2]);
  }

  async #saved(tenant: string, engineKey: string): Promise<EngineSaved> {
    this.#refuseUnknown(tenant);
    if (this.refusals.length > 0) return { ok: false, problems: this.refusals };
    const report = { added: [], changed: [`engine ${engineKey}`], unchanged: [], pruned: [] };
    return { ok: true, report, tables: [], leftOut: [], engine: { ...ENGINE, key: engineKey }, no: 2 };
  }

  async switchEngine(...args: Parameters<AdminServices['switchEngine']>) {
    this.#note('switchEngine', ...args);
    this.#refuseUnknown(args[0]);
    return { ...ENGINE, enabled: args[3] };
  }

  async bindings(tenant: string) {
    this.#note('bindings', tenant);
    this.#refuseUnknown(tenant);
    return [BAD_BINDING];
  }

  async addBinding(tenant: string, ...rest: readonly unknown[]) {
    this.#note('addBinding', tenant, ...rest);
    this.#refuseUnknown(tenant);
    return BAD_BINDING;
  }

  async changeBinding(tenant: string, ...rest: readonly unknown[]) {
    this.#note('changeBinding', tenant, ...rest);
    this.#refuseUnknown(tenant);
    return BAD_BINDING;
  }

  async removeBinding(tenant: string, ...rest: readonly unknown[]) {
    this.#note('removeBinding', tenant, ...rest);
    this.#refuseUnknown(tenant);
  }

  async overview(tenant: string, lang: Lang) {
    this.#note('overview', tenant, lang);
    this.#refuseUnknown(tenant);
    const outbox = { rows: 0, failed: 0 };
    return { at: T0, minutes: [], deadLetters: 1, waiting: 0, outbox, queues: [], refusedBindings: 1 };
  }

  async bindingStates(tenant: string, lang: Lang) {
    this.#note('bindingStates', tenant, lang);
    this.#refuseUnknown(tenant);
    return [{ queue: 'orders', engineKey: 'stock', state: 'refused', notes: ['a rule'] }] as const;
  }

  async health() {
    return this.state;
  }

  /** Arguments of the last call. */
  lastArgs(): readonly unknown[] {
    return this.calls.at(-1)?.args ?? [];
  }

  #note(method: string, ...args: readonly unknown[]): void {
    this.calls.push({ method, args });
    if (this.failure !== undefined) throw this.failure;
  }

  #refuseUnknown(tenant: string): void {
    if (tenant !== 'demo') throw new AppError('TENANT_UNKNOWN', { tenant });
  }
}

const ENGINE: EngineSource = {
  key: 'stock-show',
  name: 'stock',
  source: 'return {Code:1}',
  version: '0123456789ab',
  enabled: true,
  stopHttp: false,
  limits: NO_ENGINE_LIMITS,
};

const LIMITS: TenantLimits = {
  engines: [
    {
      key: 'fat',
      name: 'fat',
      version: '0123456789ab',
      enabled: true,
      limits: { ...DEFAULT_RUN_LIMITS, wallMs: 7_000 },
      warnings: ['LimitMemory asks for 9999'],
    },
  ],
  hostCallsPerSecond: 20_000,
  load: undefined,
  breakers: [
    { tenant: 'demo', subject: 'microi.demo.ok', phase: 'closed', runs: 5, troublePercent: 0, faultPercent: 0 },
    {
      tenant: 'demo',
      subject: 'microi.demo.erp',
      phase: 'open',
      since: 0,
      until: 1_000,
      pauses: 1,
      runs: 0,
      troublePercent: 0,
      faultPercent: 0,
    },
  ],
  pauses: [],
};

/** Keeps every line. */
export class MemoryLog implements Log {
  readonly lines: { readonly level: string; readonly event: string; readonly fields: LogFields }[] = [];

  child(): Log {
    return this;
  }

  debug(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', event, fields });
  }

  info(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', event, fields });
  }

  warn(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', event, fields });
  }

  error(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', event, fields });
  }
}

const EMPTY_STORY: EventStory = {
  eventId: '',
  inbox: [],
  attempts: [],
  parked: [],
  outbox: [],
  receiveLog: [],
  sysLog: [],
};

const T0 = Date.UTC(2026, 10, 29, 12, 0, 0, 120);

const STORY: EventStory = {
  eventId: 'order-A-1',
  inbox: [
    {
      queue: 'microi.demo.orders',
      status: 'done',
      engineKey: 'stock-reserve',
      attempt: 2,
      doneAt: '2026-11-29 12:00:02.500',
    },
  ],
  attempts: [
    {
      runId: '01JD0000000000000000000003',
      queue: 'microi.demo.orders',
      eventId: 'order-A-1',
      attempt: 1,
      engineKey: 'stock-reserve',
      version: '',
      startedAt: T0 + 3000,
      endedAt: T0 + 3002,
      verdict: 'duplicate',
      reason: 'duplicate',
      message: '重复消息：此前已处理，未再次运行',
      hostCalls: [],
    },
    {
      runId: '01JD0000000000000000000002',
      queue: 'microi.demo.orders',
      eventId: 'order-A-1',
      attempt: 2,
      engineKey: 'stock-reserve',
      version: 'abcdef012345',
      startedAt: T0 + 2000,
      endedAt: T0 + 2030,
      verdict: 'done',
      reason: '',
      message: '',
      hostCalls: [
        { name: 'FormEngine.UptFormDataByWhere', durationMs: 3, code: 1, target: 'shop_stock' },
        { name: 'MQ.SendMsg', durationMs: 1, code: 1, target: 'orders.reserved reserved-A 1' },
      ],
    },
    {
      runId: '01JD0000000000000000000001',
      queue: 'microi.demo.orders',
      eventId: 'order-A-1',
      attempt: 1,
      engineKey: 'stock-reserve',
      version: 'abcdef012345',
      startedAt: T0,
      endedAt: T0 + 15,
      verdict: 'parked',
      reason: 'SCRIPT_THREW',
      message: 'The script threw: Error: no stock\u001b[31m [行:4, 列:9]\nat save (stock-reserve.js:4:9)',
      hostCalls: [],
    },
  ],
  parked: [
    {
      queue: 'microi.demo.orders',
      cycle: 1,
      attempt: 2,
      state: 'resolved',
      reason: 'retry',
      error: 'The event was handed over by hand\nas it was',
      dueAt: T0 + 1000,
    },
  ],
  outbox: [{ queue: 'microi.demo.orders.reserved', state: 'pending', attempts: 1, lastError: 'away\nfor long' }],
  receiveLog: [
    {
      type: '接收',
      queue: 'microi.demo.orders',
      message: '{"OrderId":"A-1"}',
      sendTime: null,
      receiveTime: '2026-11-29 20:00:00',
      completeTime: '2026-11-29 20:00:02',
      status: '成功',
      statusInfo: '正常',
      messageId: 'order-A-1',
    },
  ],
  sysLog: [
    {
      type: 'script',
      title: 'reserved 2 of P-1',
      content: 'first\nsecond',
      level: 1,
      eventId: 'order-A-1',
      runId: '01JD0000000000000000000002',
    },
  ],
};

const TRIAL: TrialReport = {
  eventId: 'broken-1',
  queue: 'microi.demo.demo.broken',
  engineKey: 'always-fails',
  version: 'abcdef012345',
  would: 'dead',
  reason: 'The script returned Code 0: no',
  reasonCode: 'SCRIPT_REFUSED',
  result: { Code: 0 },
  durationMs: 7,
  tables: [
    {
      table: 'shop_stock',
      inserted: [{ Id: 'r2', Sku: 'P-2' }],
      updated: [{ before: { Id: 'r1', Stock: 3 }, after: { Id: 'r1', Stock: 1 }, changed: ['Stock'] }],
      deleted: [],
      complete: true,
    },
  ],
  messages: [{ queue: 'microi.demo.next', eventId: 'n-1', message: '{"a":1}' }],
  requests: [{ method: 'POST', url: 'http://erp/orders', status: null, refused: true }],
  cacheWrites: [{ operation: 'set', key: 'Microi:demo:k' }],
  logs: [{ level: 1, title: 'always-fails', text: 'hello' }],
  hostCalls: [],
};

const DEAD_ROW: ParkedRow = {
  queue: 'microi.demo.demo.broken',
  eventId: 'broken-1',
  messageHash: '',
  cycle: 1,
  attempt: 2,
  state: 'dead',
  parkedState: 'dead',
  delayMs: 0,
  body: new TextEncoder().encode('{"EventId":"broken-1","Message":{"品名":"茶"}}'),
  props: { headers: {} },
  reason: 'budget-exhausted',
  error: `脚本抛出异常：Error: never works\nat ${'x'.repeat(200)} (always-fails.js:14:9)`,
  engineKey: 'always-fails',
  version: 'abcdef012345',
  dueAt: T0,
  firstAt: T0,
  lastAt: T0 + 5000,
};

const BAD_BINDING: StoredBinding = {
  id: '1',
  isEnabled: true,
  isPushed: false,
  row: { QueueName: 'bad' },
  binding: { ok: false, error: { code: 'BINDING_INVALID', params: { queue: 'bad', field: 'Count', rule: '≥ 0' } } },
};
