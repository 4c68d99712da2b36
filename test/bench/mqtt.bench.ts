/**
 * `npm run bench -- mqtt`: our broker beside bare aedes and Mosquitto on this machine, in turns: QoS 0 and 1, one
 * subscriber and twenty, MQTT 3.1.1 and 5; then the whole host with a script gate and with the hand-over into a queue;
 * then idle connections, and a thousand devices that come at once. Absolute rates are noise on shared machines; the
 * ratios count, and the gate's bar; its CPU for each message is printed beside it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostProcess } from '../support/host-process.ts';
import { ownPort } from '../support/own-port.ts';
import { startMosquitto } from '../support/services/mosquitto.ts';
import { type Bar, median, reportBars } from './bars.ts';
import { LoadClient, type Login } from './mqtt/load-client.ts';
import { throughput } from './mqtt/measure.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const IDLE = Number(process.env.BENCH_IDLE ?? 5_000);
const GATED_PUBLISHERS = 50;
const RECONNECTS = 1_000;
const ACCOUNT = { account: 'device', password: 'device-password' } as const;

interface BrokerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): void;
}

await main();

async function main(): Promise<void> {
  const [ours, aedes, mosquitto] = [await startProcess('ours'), await startProcess('aedes'), await startMosquitto()];
  try {
    const bars: Bar[] = [];
    for (const qos of [0, 1] as const) {
      for (const subscribers of [1, 20]) {
        bars.push(...(await compare([ours.port, aedes.port, mosquitto.port], qos, subscribers)));
      }
    }
    bars.push(await reportIdle(ours, aedes));
    bars.push(await gateRate());
    await handOverRate();
    bars.push(await reconnectAtOnce());
    reportBars(bars);
  } finally {
    ours.stop();
    aedes.stop();
    await mosquitto.stop();
  }
}

async function startProcess(kind: 'ours' | 'aedes'): Promise<BrokerProcess> {
  const file = join(import.meta.dirname, 'mqtt/broker-process.ts');
  const child: ChildProcess = spawn(process.execPath, [file, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) => child.stdout?.once('data', (line) => resolve(Number(line))));
  return { pid: child.pid ?? 0, port, stop: () => void child.kill() };
}

async function compare(
  [ours, aedes, mosquitto]: readonly [number, number, number],
  qos: 0 | 1,
  subscribers: number,
): Promise<readonly Bar[]> {
  const load = { qos, subscribers, publishers: 1, seconds: SECONDS };
  const name = `qos${qos}-1to${subscribers}`;
  const ratios: number[] = [];
  const fives: number[] = [];
  // Unmeasured: nobody's code is compiled for the load before it has run.
  const warmUp = { ...load, seconds: 1 };
  for (const port of [ours, aedes, mosquitto]) await throughput({ port, version: 4 }, warmUp);
  await throughput({ port: ours, version: 5 }, warmUp);
  for (let round = 1; round <= ROUNDS; round++) {
    const four = await throughput({ port: ours, version: 4 }, load);
    const bare = await throughput({ port: aedes, version: 4 }, load);
    const other = await throughput({ port: mosquitto, version: 4 }, load);
    const five = await throughput({ port: ours, version: 5 }, load);
    ratios.push(four / bare);
    fives.push(five / four);
    const rates = { ours: four, 'ours, version 5': five, aedes: bare, mosquitto: other };
    const text = Object.entries(rates).map(([who, rate]) => `${who} ${rate.toFixed(0)}/s`);
    process.stdout.write(`${name} round ${round}: ${text.join(', ')}\n`);
  }
  return [
    { name: `mqtt-${name}-of-aedes`, value: median(ratios), target: 0.7 },
    { name: `mqtt-${name}-version5-of-4`, value: median(fives), target: 0.85 },
  ];
}

/** Memory of each idle connection, in both brokers. */
async function reportIdle(ours: BrokerProcess, aedes: BrokerProcess): Promise<Bar> {
  let held = 0;
  for (const [name, { pid, port }] of Object.entries({ ours, aedes })) {
    const before = residentKib(pid);
    const clients: LoadClient[] = [];
    for (let n = 0; n < IDLE; n += 100) {
      const batch = Array.from({ length: 100 }, (_, i) => LoadClient.open(`idle-${n + i}`, { port, version: 4 }));
      clients.push(...(await Promise.all(batch)));
    }
    await sleep(2_000);
    const each = (residentKib(pid) - before) / IDLE;
    process.stdout.write(`${IDLE} idle connections, ${name}: ${each.toFixed(1)} KiB each\n`);
    if (name === 'ours') held = clients.filter(({ isOpen }) => isOpen).length;
    for (const client of clients) client.end();
  }
  return { name: 'mqtt-idle-connections', value: held, target: IDLE };
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}

/** A gate that looks at the message and lets it pass, of fifty devices at once: one gate at a time is a device's own. */
async function gateRate(): Promise<Bar> {
  const script = "return V8.MQTT.Payload && V8.MQTT.Payload.Temp > 100 ? { Code: 0, Msg: 'too hot' } : { Code: 1 };\n";
  return withHost({ 'gate.js': script }, { engine: 'gate' }, async (host, login) => {
    const load = { qos: 1, subscribers: 0, publishers: GATED_PUBLISHERS, seconds: SECONDS * 2 } as const;
    await throughput(login, load);
    const pids = [host.pid, ...host.lanes()];
    const [before, from] = [cpuMicros(pids), performance.now()];
    const rate = await throughput(login, load);
    const each = (cpuMicros(pids) - before) / ((rate * (performance.now() - from)) / 1000);
    process.stdout.write(
      `script gate, QoS 1, ${GATED_PUBLISHERS} devices: ${rate.toFixed(0)}/s, ${each.toFixed(0)} µs CPU\n`,
    );
    return { name: 'mqtt-gate-per-second', value: rate, target: 5_000 };
  });
}

async function handOverRate(): Promise<void> {
  await withHost({}, {}, async (host, login) => {
    host.sql(
      'demo',
      "INSERT INTO mci_mqtt_binding (Id, TopicFilter, QueueName, IsEnable, IsDeleted) VALUES ('b', '#', 'readings', 1, 0)",
    );
    // Bindings are read again after a while.
    await sleep(6_000);
    const load = { qos: 1, subscribers: 0, publishers: GATED_PUBLISHERS, seconds: SECONDS } as const;
    const rate = await throughput(login, load);
    const rows = await host.api('GET', 'tenants/demo/mqtt/bindings');
    process.stdout.write(`hand-over into a queue (${rows.body.DataCount} binding), QoS 1: ${rate.toFixed(0)}/s\n`);
  });
}

/** User and system time of processes, in steps of 10 ms. Microseconds. */
function cpuMicros(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * 10_000;
  }, 0);
}

/** The whole host: each login is checked, written to the log and to the table of devices. */
async function reconnectAtOnce(): Promise<Bar> {
  return withHost({}, {}, async (_host, login) => {
    const from = performance.now();
    const clients = await Promise.all(
      Array.from({ length: RECONNECTS }, (_, n) => LoadClient.open(`device-${n}`, login)),
    );
    const seconds = (performance.now() - from) / 1000;
    process.stdout.write(`${clients.length} devices at once: ${seconds.toFixed(1)} s until the last one is in\n`);
    for (const client of clients) client.end();
    return { name: 'mqtt-reconnect-1000-seconds', value: seconds, target: 10, atMost: true };
  });
}

async function withHost<T>(
  scripts: Readonly<Record<string, string>>,
  mqtt: Record<string, unknown>,
  work: (host: HostProcess, login: Login) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  const port = await ownPort();
  const host = await HostProcess.create(dir, { mqtt: { enabled: true, port, ...ACCOUNT, ...mqtt } });
  try {
    await host.start();
    mkdirSync(join(dir, 'scripts'));
    for (const [name, text] of Object.entries(scripts)) writeFileSync(join(dir, 'scripts', name), text);
    if (Object.keys(scripts).length > 0) await host.cli('push', join(dir, 'scripts'));
    return await work(host, { port, version: 4, username: 'demo:device', password: ACCOUNT.password });
  } finally {
    await host.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}
