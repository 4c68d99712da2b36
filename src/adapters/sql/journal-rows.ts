import type { AttemptRecord, HostCallTrace, LogLine, ReceiveLogRecord, SysLogRecord } from '../../ports/journal.ts';
import type { AttemptTable, PlatformRow } from './system-tables.ts';

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_TITLE_LENGTH = 255;

export function toAttemptRow(record: AttemptRecord): AttemptTable {
  return {
    RunId: record.runId,
    QueueName: record.queue,
    EventId: record.eventId,
    Attempt: record.attempt,
    EngineKey: record.engineKey,
    Version: record.version,
    StartedAt: Math.round(record.startedAt),
    EndedAt: Math.round(record.endedAt),
    Verdict: record.verdict,
    Reason: record.reason,
    Msg: record.message.slice(0, MAX_MESSAGE_LENGTH),
    HostCalls: JSON.stringify(record.hostCalls),
  };
}

export function toAttemptRecord(row: AttemptTable): AttemptRecord {
  return {
    runId: row.RunId,
    queue: row.QueueName,
    eventId: row.EventId,
    attempt: row.Attempt,
    engineKey: row.EngineKey,
    version: row.Version,
    startedAt: row.StartedAt,
    endedAt: row.EndedAt,
    verdict: row.Verdict,
    reason: row.Reason,
    message: row.Msg,
    hostCalls: JSON.parse(row.HostCalls) as readonly HostCallTrace[],
  };
}

export function toLogLine(row: PlatformRow): LogLine {
  return {
    id: text(row.Id),
    time: text(row.CreateTime),
    type: text(row.Type),
    title: text(row.Title),
    content: text(row.Content),
    level: Number(row.Level ?? 1),
    eventId: text(row.EventId),
    runId: text(row.RunId),
  };
}

/** Columns of mq-mqtt.md 3.7. */
export function toReceiveLogRow(record: ReceiveLogRecord): PlatformRow {
  return {
    Type: record.type,
    QueueName: record.queue,
    Message: record.message,
    SendTime: record.sendTime,
    ReceiveTime: record.receiveTime,
    CompleteTime: record.completeTime,
    Status: record.status,
    StatusInfo: record.statusInfo,
    MessageId: record.messageId,
  };
}

export function toReceiveLogRecord(row: PlatformRow): ReceiveLogRecord {
  return {
    type: row.Type === '发送' ? '发送' : '接收',
    queue: text(row.QueueName),
    message: nullable(row.Message),
    sendTime: nullable(row.SendTime),
    receiveTime: nullable(row.ReceiveTime),
    completeTime: nullable(row.CompleteTime),
    status: row.Status === '成功' ? '成功' : '失败',
    statusInfo: text(row.StatusInfo),
    messageId: text(row.MessageId),
  };
}

export function toSysLogRow(record: SysLogRecord): PlatformRow {
  return {
    Type: record.type.slice(0, MAX_TITLE_LENGTH),
    Title: record.title.slice(0, MAX_TITLE_LENGTH),
    Content: record.content,
    OtherInfo: record.otherInfo ?? null,
    Remark: record.remark ?? null,
    Api: record.api ?? null,
    Param: record.param ?? null,
    Level: record.level,
    EventId: record.eventId,
    RunId: record.runId,
  };
}

export function toSysLogRecord(row: PlatformRow): SysLogRecord {
  const optional = {
    otherInfo: row.OtherInfo,
    remark: row.Remark,
    api: row.Api,
    param: row.Param,
  };
  const present = Object.entries(optional).filter(([, value]) => value !== null && value !== undefined);
  return {
    type: text(row.Type),
    title: text(row.Title),
    content: text(row.Content),
    level: toLevel(row.Level),
    eventId: text(row.EventId),
    runId: text(row.RunId),
    ...Object.fromEntries(present.map(([name, value]) => [name, String(value)])),
  };
}

function toLevel(value: unknown): 1 | 2 | 3 {
  return value === 3 ? 3 : value === 2 ? 2 : 1;
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function nullable(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
