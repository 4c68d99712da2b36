import type { RunLimits } from '../core/run-limits.ts';
import { type ConsoleLevel, LANE_FRAME } from '../protocol/messages.ts';
import type { HostChannel } from './host-channel.ts';

/** What `console` of one run may write. The first line beyond the limit is dropped with everything after it. */
export class RunLog {
  readonly #channel: HostChannel;
  readonly #runId: number;
  readonly #limits: RunLimits;
  #lines = 0;
  #bytes = 0;
  #cut = false;

  constructor(channel: HostChannel, runId: number, limits: RunLimits) {
    this.#channel = channel;
    this.#runId = runId;
    this.#limits = limits;
  }

  /** True when lines were dropped. */
  get cut(): boolean {
    return this.#cut;
  }

  /** Lines passed on. */
  get lines(): number {
    return this.#lines;
  }

  write(level: ConsoleLevel, line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#lines >= this.#limits.logLines || this.#bytes + bytes > this.#limits.logBytes) this.#cut = true;
    if (this.#cut) return;
    this.#lines += 1;
    this.#bytes += bytes;
    this.#channel.send(LANE_FRAME.log, this.#runId, `${level}\n${line}`);
  }
}
