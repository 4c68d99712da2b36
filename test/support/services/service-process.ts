import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessPlan, TiedProcess } from './tied-process.ts';

const START_MS = 90_000;
const STOP_MS = 20_000;

/** A service that can be killed, frozen and started again on the same data and port. */
export abstract class ServiceProcess {
  #process: TiedProcess | undefined;

  /** How the program is started, each time the same way. */
  protected abstract plan(): ProcessPlan;

  /** Whether it takes clients; also false when asking fails. */
  protected abstract isReady(): Promise<boolean>;

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && !this.#process.hasEnded;
  }

  /** Starts it, first or again, and waits until it takes clients. @throws Error with its last lines. */
  async start(): Promise<void> {
    if (this.isRunning) throw new Error(`${this.constructor.name} runs already`);
    const process = new TiedProcess(this.plan());
    this.#process = process;
    const deadline = Date.now() + START_MS;
    while (!process.hasEnded && Date.now() < deadline) {
      if ((await this.isReady()) && !process.hasEnded) return;
      await sleep(50);
    }
    process.signal('SIGKILL');
    throw new Error(`${this.constructor.name} did not start:\n${process.logTail()}`);
  }

  /** SIGKILL: what a power cut does to the process. */
  async kill(): Promise<void> {
    this.#process?.signal('SIGKILL');
    await this.#process?.ended();
  }

  /** SIGTERM, and SIGKILL if that is not enough. */
  async stop(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    process.signal('SIGTERM');
    process.signal('SIGCONT');
    const tooLong = setTimeout(() => process.signal('SIGKILL'), STOP_MS);
    await process.ended();
    clearTimeout(tooLong);
  }

  /** SIGSTOP: it keeps its connections and answers nothing, from when this resolves: the signal reaches threads late. */
  async freeze(): Promise<void> {
    this.#process?.signal('SIGSTOP');
    while (this.isRunning && !isStopped(this.pid)) await sleep(5);
  }

  thaw(): void {
    this.#process?.signal('SIGCONT');
  }

  /** Ends it for good. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Whether every thread of a process stands still. */
function isStopped(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return stat[stat.lastIndexOf(')') + 2] === 'T';
    });
  } catch {
    return false;
  }
}
