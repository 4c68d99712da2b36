import type { HostProcess } from '../support/host-process.ts';
import type { SeededRandom } from '../support/random.ts';
import type { ServiceProcess } from '../support/services/service-process.ts';
import type { Cluster } from './cluster.ts';
import { type Blow, killHost, killLane, pause } from './load.ts';

/** Longer than the database lets a silent transaction live (15 s): the host finds itself fenced when it goes on. */
const FENCED_MS = 18_000;

/** How often each kind is struck, for each host or service. */
export interface BlowCounts {
  readonly host: number;
  readonly lane: number;
  readonly service: number;
  readonly cut: number;
  readonly freeze: number;
  readonly slow: number;
  readonly rotate: number;
  /** How long a frozen host stands still. Milliseconds. */
  readonly freezeMs?: number;
}

/** Whatever happens to a cluster in a bad night. */
export function blowsOn(cluster: Cluster, counts: BlowCounts, random: SeededRandom): Blow[] {
  const { maria, rabbit, redis, proxies, hosts } = cluster;
  return [
    ...hosts.flatMap((host) => [killHost(host, counts.host), killLane(host, counts.lane, random)]),
    restart('mariadb', maria, counts.service, random),
    restart('rabbitmq', rabbit, counts.service, random),
    restart('redis', redis, counts.service, random),
    { name: 'cut', times: counts.cut, strike: async () => random.pick(proxies).cut() },
    freeze(random.pick(hosts), counts.freeze, counts.freezeMs ?? FENCED_MS),
    slow(cluster, counts.slow, random),
    { name: 'rotate', times: counts.rotate, strike: () => cluster.changePassword() },
  ];
}

function restart(name: string, service: ServiceProcess, times: number, random: SeededRandom): Blow {
  return {
    name,
    times,
    async strike() {
      await service.kill();
      await pause(random.between(0, 2_000));
      await service.start();
    },
  };
}

function freeze(host: HostProcess, times: number, ms: number): Blow {
  return {
    name: 'freeze',
    times,
    async strike() {
      if (!host.isRunning) return;
      process.kill(host.pid, 'SIGSTOP');
      await pause(ms);
      process.kill(host.pid, 'SIGCONT');
    },
  };
}

/** A way on which every byte takes its time, for a while. */
function slow({ proxies }: Cluster, times: number, random: SeededRandom): Blow {
  return {
    name: 'slow',
    times,
    async strike() {
      const proxy = random.pick(proxies);
      proxy.slow(random.between(20, 200));
      await pause(5_000);
      proxy.slow(0);
    },
  };
}
