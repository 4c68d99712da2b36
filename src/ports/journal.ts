/**
 * What a tenant reads afterwards: attempts, the receive log, the system log. Buffered in the host and written apart
 * from the run's transaction, so a rollback does not take an author's log away. Best effort: an audit, not the inbox.
 */

/** One run of one message or call, as its author sees it (`mq_attempt`). Times are milliseconds UTC. */
export interface AttemptRecord {
  readonly runId: string;
  /** Physical queue; empty for a run that no message started. */
  readonly queue: string;
  readonly eventId: string;
  readonly attempt: number;
  readonly engineKey: string;
  readonly version: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Settlement, such as `acked`, `parked`, `dead`, `duplicate`, `deferred`. */
  readonly verdict: string;
  /** Error code or dead-letter reason; empty on success. */
  readonly reason: string;
  /** Sentence for people with the script's own stack; at most 1,000 characters. */
  readonly message: string;
  readonly hostCalls: readonly HostCallTrace[];
}

/** One host call of a run: what and how long, never its arguments. */
export interface HostCallTrace {
  readonly name: string;
  readonly durationMs: number;
  /** Code of the result; null when it was no DosResult. */
  readonly code: number | null;
  /** What it touched: a table, an engine, a queue with EventId, a URL's host. */
  readonly target?: string;
}

/** A row of `diy_queue_receive_log` (mq-mqtt.md 3.7). Times are local text. */
export interface ReceiveLogRecord {
  readonly type: '发送' | '接收';
  readonly queue: string;
  /** JSON text of the caller's Message; null when the body could not be read. */
  readonly message: string | null;
  readonly sendTime: string | null;
  readonly receiveTime: string | null;
  readonly completeTime: string | null;
  readonly status: '成功' | '失败';
  readonly statusInfo: string;
  readonly messageId: string;
}

/** A row of `sys_log`. Level 1 info, 2 warning, 3 error. */
export interface SysLogRecord {
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly otherInfo?: string;
  readonly remark?: string;
  readonly api?: string;
  readonly param?: string;
  readonly level: 1 | 2 | 3;
  readonly eventId: string;
  readonly runId: string;
}

export interface Journal {
  attempt(record: AttemptRecord): void;
  receiveLog(record: ReceiveLogRecord): void;
  sysLog(record: SysLogRecord): void;
  /** Writes what is buffered; resolves also when it failed (the failure is logged). */
  flush(): Promise<void>;
  /** The whole story of one event (G7); flushes first. */
  story(eventId: string): Promise<EventStory>;
  /** Latest attempts, newest first. */
  attempts(filter: { verdict?: string; limit: number }): Promise<readonly AttemptRecord[]>;
  /** Runs of engines that began since a moment, by span of time and verdict, oldest first. Both in milliseconds. */
  runCounts(since: number, spanMs: number): Promise<readonly RunCount[]>;
  /** Lines of the system log, oldest first; flushes first. */
  logs(filter: LogFilter): Promise<readonly LogLine[]>;
}

/** Runs of one verdict that began in one span of time. */
export interface RunCount {
  /** Where the span begins. Milliseconds UTC. */
  readonly at: number;
  readonly verdict: string;
  readonly runs: number;
}

/** Which lines of `sys_log`: those after the line of this id, else the latest; of one title (an engine) alone. */
export interface LogFilter {
  readonly after?: string;
  readonly title?: string;
  readonly limit: number;
}

/** A line of `sys_log`. Ids are in the order of writing; `time` is local text. */
export interface LogLine {
  readonly id: string;
  readonly time: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly level: number;
  readonly eventId: string;
  readonly runId: string;
}

/** Everything known about one EventId, over all queues of the tenant. */
export interface EventStory {
  readonly eventId: string;
  readonly inbox: readonly {
    queue: string;
    status: string;
    engineKey: string;
    attempt: number;
    doneAt: string | null;
  }[];
  readonly attempts: readonly AttemptRecord[];
  readonly parked: readonly {
    queue: string;
    cycle: number;
    attempt: number;
    state: string;
    reason: string;
    error: string;
    dueAt: number;
  }[];
  readonly outbox: readonly { queue: string; state: string; attempts: number; lastError: string | null }[];
  readonly receiveLog: readonly ReceiveLogRecord[];
  readonly sysLog: readonly SysLogRecord[];
}
