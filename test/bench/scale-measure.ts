/** Measures one host on the embedded default: what it costs at rest, and what one more of each costs. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mqttPacket from 'mqtt-packet';
import type { ScaleFigures } from '../../scripts/scale-plan.ts';
import { HostProcess } from '../support/host-process.ts';
import { ownPort } from '../support/own-port.ts';
import { LoadClient } from './mqtt/load-client.ts';

/** How many of each are made. */
export interface ScaleCounts {
  readonly tenants: number;
  readonly bindings: number;
  readonly devices: number;
  readonly messages: number;
  readonly publishes: number;
}

export const DEFAULT_COUNTS: ScaleCounts = {
  tenants: 40,
  bindings: 200,
  devices: 1_000,
  messages: 500,
  publishes: 5_000,
};

const ACCOUNT = { account: 'device', password: 'password-of-the-scale' };
const SCRIPT = 'return { Code: 1 };\n';
/** What a host does after a change, such as reading bindings again, is over by then. */
const SETTLE_MS = 3_000;

export async function measureScale(counts: ScaleCounts, tell: (line: string) => void): Promise<ScaleFigures> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-scale-'));
  const port = await ownPort();
  const host = await HostProcess.create(dir, { reconcileSeconds: 1, mqtt: { enabled: true, port, ...ACCOUNT } });
  try {
    await host.start();
    return await measure(host, port, counts, tell);
  } finally {
    await host.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(
  host: HostProcess,
  mqttPort: number,
  counts: ScaleCounts,
  tell: (line: string) => void,
): Promise<ScaleFigures> {
  mkdirSync(join(host.dataDir, 'scripts'));
  writeFileSync(join(host.dataDir, 'scripts', 'done.js'), SCRIPT);
  await host.cli('push', join(host.dataDir, 'scripts'));
  await bind(host, 'work');
  // Unmeasured: what is made at the first message, and code that is compiled once.
  await sendAll(host, Math.ceil(counts.messages / 4), 'warm');
  await sleep(SETTLE_MS);
  const lanes = host.lanes().map((pid) => pssKib(pid) / 1024);
  const hostMib = residentKib(host.pid) / 1024;
  tell(`at rest: host ${hostMib.toFixed(0)} MiB, ${lanes.length} lanes`);
  const message = await costOfMessages(host, counts.messages);
  tell(`${counts.messages} messages: ${message.cpuMs.toFixed(2)} ms of CPU and ${message.bytes.toFixed(0)} bytes each`);
  const device = await costOfDevices(host, mqttPort, counts);
  tell(`${counts.devices} devices: ${device.kib.toFixed(1)} KiB each`);
  const bindingKib = await growth(host, counts.bindings, (n) => bind(host, `idle-${n}`));
  tell(`${counts.bindings} bindings: ${bindingKib.toFixed(1)} KiB each`);
  const tenantKib = await growth(host, counts.tenants, async (n) => {
    await accepted(host.api('POST', 'tenants', { tenant: `scale-${n}` }));
  });
  tell(`${counts.tenants} tenants: ${tenantKib.toFixed(1)} KiB each`);
  return {
    hostMib,
    laneMib: lanes.reduce((sum, mib) => sum + mib, 0) / lanes.length,
    tenantKib,
    bindingKib,
    deviceKib: device.kib,
    messageCpuMs: message.cpuMs,
    publishCpuMs: device.publishCpuMs,
    messageBytes: message.bytes,
  };
}

async function bind(host: HostProcess, queue: string): Promise<void> {
  await accepted(host.api('POST', 'tenants/demo/bindings', { queue, engineKey: 'done' }));
}

async function accepted(call: ReturnType<HostProcess['api']>): Promise<void> {
  const { status, body } = await call;
  if (body.Code !== 1) throw new Error(`${status} ${body.Msg}`);
}

/** Memory of one more, at rest. KiB. */
async function growth(host: HostProcess, times: number, add: (n: number) => Promise<void>): Promise<number> {
  const before = residentKib(host.pid);
  for (let n = 0; n < times; n++) await add(n);
  await sleep(SETTLE_MS);
  return Math.max(0, residentKib(host.pid) - before) / times;
}

async function costOfMessages(host: HostProcess, messages: number): Promise<{ cpuMs: number; bytes: number }> {
  const before = { cpuMs: cpuMs(host), bytes: bytesOf(host.dataDir) };
  await sendAll(host, messages, 'm');
  await sleep(SETTLE_MS);
  return {
    cpuMs: (cpuMs(host) - before.cpuMs) / messages,
    bytes: Math.max(0, bytesOf(host.dataDir) - before.bytes) / messages,
  };
}

/** Sends messages and waits until each is done. */
async function sendAll(host: HostProcess, messages: number, name: string): Promise<void> {
  const isDone = () => doneRows(host, name) >= messages;
  for (let n = 0; n < messages; n += 10) {
    const batch = Array.from({ length: Math.min(10, messages - n) }, (_, i) =>
      accepted(host.api('POST', 'tenants/demo/queues/work/messages', { EventId: `${name}-${n + i}`, Message: { n } })),
    );
    await Promise.all(batch);
  }
  for (const deadline = Date.now() + 120_000; !isDone(); await sleep(200)) {
    if (Date.now() > deadline) throw new Error(`only ${doneRows(host, name)} of ${messages} messages are done`);
  }
}

function doneRows(host: HostProcess, name: string): number {
  const [row] = host.sql(
    'demo',
    "SELECT COUNT(*) AS n FROM mq_inbox WHERE Status = 'done' AND EventId LIKE ?",
    `${name}-%`,
  );
  return Number(row?.n ?? 0);
}

async function costOfDevices(
  host: HostProcess,
  port: number,
  { devices, publishes }: ScaleCounts,
): Promise<{ kib: number; publishCpuMs: number }> {
  const login = { port, version: 4, username: 'demo:device', password: ACCOUNT.password } as const;
  const before = residentKib(host.pid);
  const clients: LoadClient[] = [];
  while (clients.length < devices) {
    const batch = Array.from({ length: Math.min(50, devices - clients.length) }, (_, i) =>
      LoadClient.open(`scale-${clients.length + i}`, login),
    );
    clients.push(...(await Promise.all(batch)));
  }
  await sleep(SETTLE_MS);
  const kib = Math.max(0, residentKib(host.pid) - before) / devices;
  const publishCpuMs = await costOfPublishes(host, clients, publishes);
  for (const client of clients) client.end();
  await sleep(SETTLE_MS);
  return { kib, publishCpuMs };
}

/** QoS 1, one after the other from each of fifty devices. */
async function costOfPublishes(host: HostProcess, clients: readonly LoadClient[], publishes: number): Promise<number> {
  const senders = clients.slice(0, 50);
  const packet = (messageId: number) =>
    mqttPacket.generate({
      cmd: 'publish',
      topic: 'scale/reading',
      payload: Buffer.from('{"Temp":21.5}'),
      qos: 1,
      dup: false,
      retain: false,
      messageId,
    });
  const send = async (client: LoadClient): Promise<void> => {
    for (let n = 1; n <= publishes / senders.length; n++) {
      const answered = new Promise<void>((resolve) => {
        client.onProgress = () => client.acknowledged >= n && resolve();
      });
      client.write(packet(n));
      await answered;
    }
  };
  const before = cpuMs(host);
  await Promise.all(senders.map(send));
  return (cpuMs(host) - before) / publishes;
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}

/** Pages that lanes share are counted in parts. */
function pssKib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]);
}

/** CPU of the host and its lanes. The kernel counts in ticks of 10 ms. */
function cpuMs(host: HostProcess): number {
  return [host.pid, ...host.lanes()].reduce((sum, pid) => sum + ticks(pid) * 10, 0);
}

function ticks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function bytesOf(dir: string): number {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.db'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
