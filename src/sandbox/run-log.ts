import type { RunLimits } from '../core/run-limits.ts';
import { LANE_FRAME } from '../protocol/messages.ts';
import type { HostLine } from './host-line.ts';

/** What `console` of one run may write. The first line beyond the limit is dropped with everything after it. */
export class RunLog {
  readonly #line: HostLine;
  readonly #limits: RunLimits;
  #lines = 0;
  #bytes = 0;
  #cut = false;

  constructor(line: HostLine, limits: RunLimits) {
    this.#line = line;
    this.#limits = limits;
  }

  /** True when lines were dropped. */
  get cut(): boolean {
    return this.#cut;
  }

  write(level: string, line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#lines >= this.#limits.logLines || this.#bytes + bytes > this.#limits.logBytes) this.#cut = true;
    if (this.#cut) return;
    this.#lines += 1;
    this.#bytes += bytes;
    this.#line.say(LANE_FRAME.log, `${level}\n${line}`);
  }
}
