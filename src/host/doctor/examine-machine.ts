import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { checkSandbox } from '../../adapters/process/check-sandbox.ts';
import { createLanePool } from '../../adapters/process/lane-pool.ts';
import { installedVersions, refuseUntested } from '../../adapters/process/tested-versions.ts';
import type { Config } from '../../config/load-config.ts';
import { coerceError } from '../../core/errors.ts';
import { type Finding, fine, notice, problem, problemOf } from '../../core/finding.ts';
import type { Log } from '../../ports/log.ts';
import { KEY_FILE } from '../secret-keys.ts';

const GIB = 2 ** 30;
/** Below this the host's files may not grow through a busy night. */
const LEAST_FREE = GIB;
const LITTLE_FREE = 5 * GIB;

/** The data directory, who may read it, and the disk below it. */
export function examineDataDir(dataDir: string): readonly Finding[] {
  const existing = nearest(dataDir);
  try {
    if (!statSync(existing).isDirectory()) throw new Error(`ENOTDIR: ${existing}`);
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error: unknown) {
    const params = { dir: dataDir, reason: error instanceof Error ? error.message : String(error) };
    return [problemOf('data', dataDir, { code: 'DATA_DIR_UNUSABLE', params })];
  }
  const state =
    existing === dataDir
      ? fine('data', dataDir, '可读写', 'readable and writable')
      : notice('data', dataDir, '还不存在，首次启动时创建。', 'not there yet; the first start makes it.');
  return [state, ...secretFindings(dataDir), diskFinding(dataDir, existing)];
}

/** The path itself, or what is there of it. */
function nearest(path: string): string {
  if (existsSync(path) || dirname(path) === path) return path;
  return nearest(dirname(path));
}

/** Files with secrets that others on the machine can read. */
function secretFindings(dataDir: string): readonly Finding[] {
  return ['admin.token', 'mqtt.password', KEY_FILE].flatMap((name) => {
    const path = join(dataDir, name);
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) return [];
    return [problem('data', path, '其他用户可以读取：执行 chmod 600。', 'other users can read it: chmod 600.')];
  });
}

function diskFinding(dataDir: string, existing: string): Finding {
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  const shown = `${(free / GIB).toFixed(1)} GiB`;
  const texts = [`磁盘剩余 ${shown}`, `${shown} free on the disk`] as const;
  if (free >= LITTLE_FREE) return fine('data', dataDir, ...texts);
  const asked = [`${texts[0]}：释放空间或移动 dataDir。`, `${texts[1]}: free some, or move dataDir.`] as const;
  return (free < LEAST_FREE ? problem : notice)('data', dataDir, ...asked);
}

/** Whether a port can be had. Only while the host does not run: it is the one that has them. */
export async function examinePort(setting: string, bind: string, port: number, configured: boolean): Promise<Finding> {
  const subject = `${bind}:${port}`;
  const failure = await listenOnce(bind, port);
  if (failure === undefined) return fine('ports', subject, `${setting} 空闲`, `${setting} is free`);
  if (failure === 'EADDRINUSE' && !configured) {
    return notice(
      'ports',
      subject,
      `默认端口（${setting}）被占用，启动时使用后面的空闲端口。`,
      `the default port (${setting}) is taken; the start takes the next free one.`,
    );
  }
  if (failure === 'EADDRINUSE') return problemOf('ports', subject, { code: 'PORT_TAKEN', params: { port, setting } });
  return problemOf('ports', subject, { code: 'LISTEN_FAILED', params: { address: subject, reason: failure } });
}

function listenOnce(bind: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: bind, port }, () => server.close(() => resolve(undefined)));
  });
}

/** Versions, and a lane that is started and must end what a lane must end. */
export async function examineSandbox(config: Config, log: Log): Promise<readonly Finding[]> {
  const { rssMb, allowUntestedVersions } = config.sandbox;
  const found = installedVersions();
  const subject = `Node ${found.node}, V8 ${found.v8}, isolated-vm ${found.isolatedVm}`;
  const findings: Finding[] = [];
  try {
    refuseUntested(found);
    findings.push(fine('sandbox', subject, '经过测试的版本', 'tested versions'));
  } catch (error: unknown) {
    const told = problemOf('sandbox', subject, coerceError(error).toRecord());
    findings.push(allowUntestedVersions ? { ...told, level: 'notice' } : told);
  }
  return [...findings, await laneFinding(rssMb, config.timezone, log)];
}

async function laneFinding(rssMb: number, timezone: string, log: Log): Promise<Finding> {
  const subject = `pid ${process.pid}`;
  try {
    const pool = await createLanePool({ lanes: 1, rssMb, timezone, log });
    try {
      const broken = await checkSandbox(pool);
      return laneVerdict(subject, broken, { load: loadavg()[0] ?? 0, cpus: cpus().length });
    } finally {
      await pool.close();
    }
  } catch (error: unknown) {
    return problemOf('sandbox', subject, coerceError(error).toRecord());
  }
}

/**
 * What the check of a lane means. Where more wants to run than there are CPUs a lane may be ended before it could answer,
 * so what did not hold proves nothing.
 * @param broken as `checkSandbox`. @param machine `load` of the last minute, in processes.
 */
export function laneVerdict(
  subject: string,
  broken: readonly string[],
  { load, cpus }: { readonly load: number; readonly cpus: number },
): Finding {
  if (broken.length === 0) return fine('sandbox', subject, '沙箱进程正常', 'a lane starts and ends what it must');
  const list = broken.join('; ');
  if (load > cpus) {
    const busy = load.toFixed(1);
    return notice(
      'sandbox',
      subject,
      `CPU 过载（负载 ${busy}，${cpus} 个 CPU），无法判断沙箱是否正常（${list}）：空闲时再检查一次。`,
      `the machine is overloaded (load ${busy}, ${cpus} CPUs), so nobody can tell whether lanes are sound (${list}): check again when it is calm.`,
    );
  }
  return problem(
    'sandbox',
    subject,
    `沙箱没有按要求结束脚本（${list}）：使用项目自带的 Node。`,
    `a lane did not end what it must (${list}): use the Node that comes with the project.`,
  );
}
