import { AppError } from '../../core/errors.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { CompileResult } from '../../ports/engine-runner.ts';
import type { Frame } from '../../protocol/frames.ts';
import { type CompileStart, HOST_FRAME, LANE_FRAME } from '../../protocol/messages.ts';
import { ProtocolBreach } from './protocol-breach.ts';
import { readDone } from './read-done.ts';
import type { ConversationPeer } from './run-conversation.ts';

/** The host's side of one compilation. The lane answers with its end and nothing else. */
export class CompileConversation {
  readonly runId: number;
  /** Rejects with an AppError when the lane ended first or a limit was broken. */
  readonly result: Promise<CompileResult>;
  /** A compilation never waits for the host, so it is never told to end. */
  readonly waitsForHost = false;
  readonly ending = false;
  #resolve: (result: CompileResult) => void = () => undefined;
  #reject: (error: AppError) => void = () => undefined;

  constructor(peer: ConversationPeer, start: CompileStart) {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.runId = peer.nextRunId();
    peer.send(HOST_FRAME.compile, this.runId, JSON.stringify(start));
  }

  accept(frame: Frame): boolean {
    if (frame.runId !== this.runId || frame.type !== LANE_FRAME.done) throw new ProtocolBreach('not a compilation');
    const { outcome } = readDone(frame.text);
    if (outcome.kind === 'compiled') this.#resolve({ ok: true });
    else this.end(outcome);
    return true;
  }

  /** Nothing to tell: see `waitsForHost`. */
  abort(): void {}

  end(outcome: RunOutcome): void {
    if (outcome.kind === 'syntax') this.#resolve({ ok: false, at: outcome.at, message: outcome.message });
    else if ('error' in outcome && 'code' in outcome.error) {
      this.#reject(new AppError(outcome.error.code, outcome.error.params));
    } else this.#reject(new AppError('INTERNAL'));
  }
}
