/**
 * A broker without a host around it, as a process of its own: `ours` with rules that let everybody do everything, or
 * `aedes`. Prints its port. Ends with its parent.
 */
import { mkdtempSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Aedes } from 'aedes';
import { EmbeddedBrokerStore } from '../../../src/adapters/embedded/broker-store.ts';
import { DEFAULT_BROKER_LIMITS } from '../../../src/adapters/mqtt/broker-limits.ts';
import { startBroker } from '../../../src/adapters/mqtt/mqtt-broker.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { FuzzRules } from '../../fuzz/fuzz-rules.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

/** Topics are normalised and every message is asked about, as in the host. */
class BenchRules extends FuzzRules {
  override async connect(request: Parameters<FuzzRules['connect']>[0]): ReturnType<FuzzRules['connect']> {
    return { ok: true, tenant: 'ta', will: request.will, shortTopics: true };
  }
}

async function startOurs(): Promise<number> {
  const store = EmbeddedBrokerStore.open(join(mkdtempSync(join(tmpdir(), 'v8host-bench-')), 'host.db'));
  const parts = {
    rules: new BenchRules(),
    store,
    clock: systemClock('UTC'),
    log: SILENT_LOG,
    limits: DEFAULT_BROKER_LIMITS,
  };
  const listener = {
    kind: 'mqtt',
    bind: '127.0.0.1',
    port: 0,
    setting: 'mqtt.port',
    portsTried: 0,
    maxMessageBytes: 1e6,
  } as const;
  return (await startBroker(parts, [listener])).listeners[0]?.port ?? 0;
}

async function startAedes(): Promise<number> {
  const broker = await Aedes.createBroker({ concurrency: 100 });
  const server = createServer({ noDelay: true }, broker.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const port = process.argv[2] === 'aedes' ? await startAedes() : await startOurs();
process.stdout.write(`${port}\n`);
process.stdin.on('end', () => process.exit()).resume();
