/** What one of each costs, as `npm run scale` measured it. */
export interface ScaleFigures {
  /** The host at rest with one tenant, and one lane at rest. MiB. */
  readonly hostMib: number;
  readonly laneMib: number;
  /** Memory of the host for one more of each, at rest. KiB. */
  readonly tenantKib: number;
  readonly bindingKib: number;
  readonly deviceKib: number;
  /** CPU of the host and its lanes for one message: delivered, claimed, run, committed, acknowledged. Milliseconds. */
  readonly messageCpuMs: number;
  /** CPU of the host for one MQTT message with QoS 1 that no script looks at. Milliseconds. */
  readonly publishCpuMs: number;
  /** What a message leaves on disk: inbox, attempt, log. Bytes. */
  readonly messageBytes: number;
}

export interface ScaleLoad {
  readonly tenants: number;
  readonly bindingsPerTenant: number;
  readonly devices: number;
  readonly messagesPerSecond: number;
  /** MQTT messages; each may become a message of a queue, which then counts there as well. */
  readonly publishesPerSecond: number;
}

/** What decides besides the figures; each is a setting or a choice of the machine. */
export interface ScaleChoices {
  readonly coresPerHost: number;
  /** Part of the cores that is to be used at most. */
  readonly utilisation: number;
  readonly lanesPerHost: number;
  /** `pool.perTenant` and `retention.inboxDays`. */
  readonly poolPerTenant: number;
  readonly inboxDays: number;
}

export interface ScalePlan {
  /** For the queues' messages, one more so that one may go. */
  readonly hosts: number;
  readonly cores: number;
  /** Of one host that serves every tenant and binding. MiB. */
  readonly hostMib: number;
  /** The one host that runs the broker has this besides. MiB. */
  readonly brokerMib: number;
  readonly brokerCores: number;
  /** When every pool of every host is full at once. */
  readonly connections: number;
  /** Rows of all inboxes when the first ones are removed, and of one tenant. */
  readonly inboxRows: number;
  readonly inboxRowsPerTenant: number;
  /** What all tables of the host's own then take. GiB. */
  readonly storageGib: number;
}

const DAY_SECONDS = 86_400;
const KIB_PER_MIB = 1024;

/** The arithmetic of docs/scale.md, line by line. */
export function planOf(figures: ScaleFigures, load: ScaleLoad, choices: ScaleChoices): ScalePlan {
  const cores = (load.messagesPerSecond * figures.messageCpuMs) / 1000 / choices.utilisation;
  const hosts = Math.ceil(cores / choices.coresPerHost) + 1;
  const bindings = load.tenants * load.bindingsPerTenant;
  const idleKib = load.tenants * figures.tenantKib + bindings * figures.bindingKib;
  const inboxRows = load.messagesPerSecond * DAY_SECONDS * choices.inboxDays;
  return {
    hosts,
    cores,
    hostMib: figures.hostMib + choices.lanesPerHost * figures.laneMib + idleKib / KIB_PER_MIB,
    brokerMib: (load.devices * figures.deviceKib) / KIB_PER_MIB,
    brokerCores: (load.publishesPerSecond * figures.publishCpuMs) / 1000 / choices.utilisation,
    connections: load.tenants * choices.poolPerTenant * hosts,
    inboxRows,
    inboxRowsPerTenant: inboxRows / load.tenants,
    storageGib: (inboxRows * figures.messageBytes) / 2 ** 30,
  };
}
