import type { EntryTarget } from './entry-path.ts';

/** What the host does itself at an address where the platform has a controller or a managed engine (mq-mqtt.md 7, 8). */
export type PlatformOperation =
  /** `POST /api/mq/sendmsg`, the controller of older versions. */
  | 'mq.send'
  /** The managed engine `platform-mq`. */
  | 'mq.manage'
  /** `GET /api/mqtt/getstatus/status` and `POST /api/mqtt/sendcommand/send-command`, as the controllers had them. */
  | 'mqtt.status'
  | 'mqtt.command'
  /** The managed engine `platform-mqtt`. */
  | 'mqtt.manage';

const BY_ADDRESS: ReadonlyMap<string, PlatformOperation> = new Map<string, PlatformOperation>([
  ['/api/mq/sendmsg', 'mq.send'],
  ['/apiengine/platform-mq', 'mq.manage'],
  ['/api/mqtt/getstatus/status', 'mqtt.status'],
  ['/api/mqtt/sendcommand/send-command', 'mqtt.command'],
  ['/apiengine/platform-mqtt', 'mqtt.manage'],
]);

/** What is here beside a missing address of the platform, by the beginning of its path in lower case. */
const BESIDE = [
  ['/api/mq/', 'POST /api/mq/sendmsg, /apiengine/platform-mq'],
  ['/api/mqtt/', 'GET /api/Mqtt/GetStatus/status, POST /api/Mqtt/SendCommand/send-command, /apiengine/platform-mqtt'],
] as const;

/**
 * The addresses of the platform that the host does answer, for who asked for one that it does not: the controllers had
 * more actions, such as receiving from a queue, which no caller may do here. Undefined for a path that was never theirs.
 */
export function addressesBeside(path: string): string | undefined {
  const lower = path.toLowerCase();
  return BESIDE.find(([start]) => lower.startsWith(start))?.[1];
}

/**
 * The operation that a request asks for; undefined where a tenant's engine is meant. The path alone decides, and at
 * `/api/ApiEngine/Run` the name of the engine: no parameter makes a write of what the path says is a look.
 * @param named `ApiEngineKey` or `ApiAddress` of the parameters, unchecked; read for `run` only.
 */
export function platformOperation(target: EntryTarget, named: unknown): PlatformOperation | undefined {
  if (target.kind === 'engine') return BY_ADDRESS.get(target.address.toLowerCase());
  if (target.kind !== 'run' || typeof named !== 'string') return undefined;
  const name = named.trim().toLowerCase();
  return BY_ADDRESS.get(name.startsWith('/apiengine/') ? name : `/apiengine/${name}`);
}
