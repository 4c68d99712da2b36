import type { BindingStatus } from '../app/binding-status.ts';
import type { CircuitView } from '../app/circuit-book.ts';
import type { TenantOverview } from '../app/read-overview.ts';
import { counted } from '../core/counted.ts';
import { AppError } from '../core/errors.ts';
import { type Finding, fine, notice, problem } from '../core/finding.ts';
import type { JsonValue } from '../core/json.ts';
import type { CommandCall } from './command.ts';
import type { HostAnswer } from './host-client.ts';
import { isSuccess } from './show-answer.ts';

/** What a running host tells of itself. */
export interface RunningHost {
  readonly hostRuns: boolean;
  readonly findings: readonly Finding[];
}

interface Health {
  readonly ready: boolean;
  readonly tenants?: readonly { readonly tenant: string; readonly state: string; readonly reason: string | null }[];
  readonly queue?: { readonly ready: boolean; readonly reason: string | null };
  readonly lanes?: { readonly lanes: number; readonly busy: number; readonly waiting: number };
}

/** Asks the host what only it knows: tenants, bindings, pauses, dead letters. One that does not run is a notice. */
export async function runningHostFindings(call: CommandCall): Promise<RunningHost> {
  const { url } = call.login();
  try {
    const answer = await call.host().ask('GET', '/readyz');
    const health = answer.result.Data as unknown as Health;
    return { hostRuns: true, findings: await findingsOf(call, url, health) };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'HOST_UNREACHABLE') throw thrown;
    const texts = ['主机没有运行；端口已检查', 'the host does not run; its ports were looked at'] as const;
    return { hostRuns: false, findings: [notice('host', url, ...texts)] };
  }
}

async function findingsOf(call: CommandCall, url: string, health: Health): Promise<readonly Finding[]> {
  const { ready, tenants, queue, lanes } = health;
  const state = ready
    ? fine('host', url, '运行中，接收消息和调用', 'runs and takes messages and calls')
    : problem(
        'host',
        url,
        '运行中但未就绪：见下面的问题和主机日志。',
        'runs and is not ready: see the problems and its log.',
      );
  if (tenants === undefined) {
    const texts = [
      '没有整个主机的令牌，未检查租户：用 --token 指定。',
      'no token of the whole host, so its tenants were not looked at: give --token.',
    ];
    return [state, notice('host', url, texts[0] ?? '', texts[1] ?? '')];
  }
  const findings: Finding[] = [state];
  if (queue?.ready === false) {
    const reason = queue.reason ?? '';
    findings.push(problem('queue', url, `主机的队列不可用：${reason}`, `the host's queue cannot be used: ${reason}`));
  }
  if (lanes !== undefined && lanes.waiting > 0) findings.push(waitingNotice(url, lanes));
  for (const tenant of tenants) findings.push(...(await tenantFindings(call, tenant)));
  return findings;
}

function waitingNotice(url: string, { lanes, busy, waiting }: NonNullable<Health['lanes']>): Finding {
  const numbers = `${busy}/${lanes}`;
  return notice(
    'sandbox',
    url,
    `${waiting} 次运行在等待沙箱（${numbers} 在用）：持续如此时增大 sandbox.lanes。`,
    `${waiting} runs wait for a lane (${numbers} in use): raise sandbox.lanes if this lasts.`,
  );
}

async function tenantFindings(
  call: CommandCall,
  { tenant, state, reason }: NonNullable<Health['tenants']>[number],
): Promise<readonly Finding[]> {
  if (state === 'disabled') return [notice('tenant', tenant, '已停用', 'is disabled')];
  if (state !== 'open') return [problem('tenant', tenant, `不可用：${reason}`, `is unavailable: ${reason}`)];
  const read = async <T>(path: string): Promise<T | undefined> => {
    const answer = await call.host().ask('GET', `/api/v1/tenants/${encodeURIComponent(tenant)}/${path}`);
    return dataOf(answer) as T | undefined;
  };
  const bindings = await read<readonly BindingStatus[]>('binding-states');
  const overview = await read<TenantOverview>('overview');
  const limits = await read<{ breakers: readonly CircuitView[]; pauses: readonly CircuitView[] }>('limits');
  const paused = [...(limits?.breakers ?? []), ...(limits?.pauses ?? [])].filter(({ phase }) => phase !== 'closed');
  const found = [
    ...(bindings ?? []).flatMap((binding) => bindingFindings(tenant, binding)),
    ...paused.map((circuit) => pausedNotice(tenant, circuit)),
    ...(overview === undefined ? [] : backlogFindings(tenant, overview)),
  ];
  return found.length === 0 ? [fine('tenant', tenant, '正常', 'is well')] : found;
}

function bindingFindings(tenant: string, { queue, state, notes }: BindingStatus): readonly Finding[] {
  const subject = `${tenant} ${queue}`;
  const told = notes.join(' ');
  const isBroken = state === 'failed' || state === 'refused';
  if (isBroken) return [problem('queue', subject, `绑定 ${state}：${told}`, `the binding is ${state}: ${told}`)];
  return notes.length === 0 ? [] : [notice('queue', subject, told, told)];
}

function pausedNotice(tenant: string, { subject, phase }: CircuitView): Finding {
  const texts = [
    `已暂停（${phase}）：用 npx v8host limits 和 npx v8host trace 查看原因。`,
    `is paused (${phase}): see npx v8host limits and npx v8host trace.`,
  ];
  return notice('tenant', `${tenant} ${subject}`, texts[0] ?? '', texts[1] ?? '');
}

function backlogFindings(tenant: string, { deadLetters, outbox, refusedBindings }: TenantOverview): readonly Finding[] {
  const findings: Finding[] = [];
  if (deadLetters > 0) {
    const hint = `npx v8host dead-letters groups --tenant ${tenant}`;
    findings.push(
      notice('tenant', tenant, `死信 ${deadLetters} 条：${hint}`, `${counted(deadLetters, 'dead letter')}: ${hint}`),
    );
  }
  if (outbox.failed > 0) {
    const { failed } = outbox;
    const [zh, en] = [
      `发件箱有 ${failed} 条消息无法发出：检查队列名和权限。`,
      `${counted(failed, 'message')} of the outbox cannot be sent: check queue names and rights.`,
    ];
    findings.push(problem('tenant', tenant, zh, en));
  }
  if (refusedBindings > 0) {
    const [zh, en] = [
      `${refusedBindings} 个绑定的行有误：npx v8host bindings --tenant ${tenant}`,
      `${counted(refusedBindings, 'wrong row')} of bindings: npx v8host bindings --tenant ${tenant}`,
    ];
    findings.push(problem('tenant', tenant, zh, en));
  }
  return findings;
}

function dataOf({ result }: HostAnswer): JsonValue | undefined {
  return isSuccess(result) ? result.Data : undefined;
}
