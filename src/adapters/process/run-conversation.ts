import { fail } from '../../core/dos-result.ts';
import { coerceError, type ErrorRecord } from '../../core/errors.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { HostCallAnswer, HostCallSink } from '../../ports/engine-runner.ts';
import type { Frame } from '../../protocol/frames.ts';
import { HOST_CALL_NAMES } from '../../protocol/host-call-names.ts';
import { HOST_FRAME, LANE_FRAME, type RunStart } from '../../protocol/messages.ts';
import { dropProtoKeys } from './drop-proto-keys.ts';
import { ProtocolBreach } from './protocol-breach.ts';
import { checkOutcome, readDone } from './read-done.ts';
import { RunLevel, splitAtLineFeed } from './run-level.ts';

const KNOWN_CALLS: ReadonlySet<string> = new Set(HOST_CALL_NAMES);

/** What a conversation needs of its lane. */
export interface ConversationPeer {
  send(type: number, runId: number, text: string): void;
  /** An id that this lane has not seen. */
  nextRunId(): number;
}

/**
 * The host's side of one root run and everything nested in it. A stack of levels: only the top one may speak, and it
 * has at most one host call open. Counts and sizes are enforced here again, because only the host's own counts can
 * be trusted.
 */
export class RunConversation {
  readonly outcome: Promise<RunOutcome>;
  readonly #peer: ConversationPeer;
  readonly #levels: RunLevel[];
  readonly #root: RunLevel;
  #resolve: (outcome: RunOutcome) => void = () => undefined;
  #hostCalls = 0;
  #over = false;

  constructor(peer: ConversationPeer, start: RunStart, sink: HostCallSink) {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#peer = peer;
    this.#root = new RunLevel(peer.nextRunId(), start, sink);
    this.#levels = [this.#root];
    peer.send(HOST_FRAME.run, this.#root.runId, JSON.stringify(start));
  }

  get runId(): number {
    return this.#root.runId;
  }

  /** True while the lane waits for the host and can be told to end the run. */
  get waitsForHost(): boolean {
    return this.#top.inCall;
  }

  /** True when the lane was told to end the root run. */
  get ending(): boolean {
    return this.#root.ending !== undefined;
  }

  /** Takes one frame of the lane. @returns true when the root run ended with it. @throws ProtocolBreach */
  accept(frame: Frame): boolean {
    const level = this.#top;
    if (frame.runId !== level.runId && !this.#isEndOfAborted(frame)) throw new ProtocolBreach('a frame of another run');
    if (frame.type === LANE_FRAME.done) this.#onDone(frame);
    else if (level.inCall) throw new ProtocolBreach('a frame while a host call is open');
    else if (frame.type === LANE_FRAME.log) level.log(frame.text);
    else if (frame.type === LANE_FRAME.call) this.#onCall(level, frame.text);
    else throw new ProtocolBreach('a frame of unknown type');
    return this.#over;
  }

  /** Ends the root run from outside while the lane waits for the host; `reason` becomes its outcome. */
  abort(reason: ErrorRecord): void {
    this.#abort(this.#root, reason);
  }

  /** The lane is gone: every level ends with `outcome`. The first end counts. */
  end(outcome: RunOutcome): void {
    if (this.#over) return;
    this.#dropNested(this.#root, outcome);
    this.#over = true;
    this.#resolve(outcome);
  }

  get #top(): RunLevel {
    return this.#levels[this.#levels.length - 1] ?? this.#root;
  }

  #abort(level: RunLevel, reason: ErrorRecord): void {
    if (this.#over || level.ending !== undefined) return;
    level.ending = reason;
    this.#peer.send(HOST_FRAME.abort, level.runId, '');
  }

  /** Levels above an aborted one end without a word: the lane speaks next for the aborted one. */
  #isEndOfAborted(frame: Frame): boolean {
    return (
      frame.type === LANE_FRAME.done &&
      this.#levels.some((level) => level.runId === frame.runId && level.ending !== undefined)
    );
  }

  #onCall(level: RunLevel, text: string): void {
    const [name, args] = splitAtLineFeed(text);
    if (!KNOWN_CALLS.has(name)) throw new ProtocolBreach('an unknown host call');
    if (Buffer.byteLength(args) > level.start.limits.argumentBytes) throw new ProtocolBreach('arguments are too large');
    level.inCall = true;
    this.#hostCalls += 1;
    // Engines nested in a run count as its own calls, or nesting would multiply the limit.
    const limit = this.#root.start.limits.hostCalls;
    if (this.#hostCalls > limit) {
      this.#abort(this.#root, { code: 'V8_HOST_CALL_LIMIT', params: { limit } });
      return;
    }
    void this.#answer(level, name, dropProtoKeys(args));
  }

  async #answer(level: RunLevel, name: string, args: string): Promise<void> {
    try {
      this.#take(level, await level.sink.call(name, args));
    } catch (error) {
      // A sink must not reject; a script is told that the host failed and can still end by itself.
      this.#reply(level, failureJson(coerceError(error).toRecord()));
    }
  }

  #take(level: RunLevel, answer: HostCallAnswer): void {
    const limit = this.#root.start.limits.nesting;
    if (answer.kind === 'reply') {
      this.#reply(level, answer.json);
    } else if (this.#isClosed(level)) {
      void this.#finish(answer.finish, { kind: 'unstarted', error: { code: 'DRAINING', params: {} } });
    } else if (this.#levels.length >= limit) {
      const error: ErrorRecord = { code: 'V8_NESTED_DEPTH_LIMIT', params: { limit } };
      void this.#replyFinished(level, answer.finish, { kind: 'limit', error });
    } else {
      const nested = new RunLevel(this.#peer.nextRunId(), answer.run, answer.calls, answer.finish);
      this.#levels.push(nested);
      this.#peer.send(HOST_FRAME.nested, nested.runId, JSON.stringify(answer.run));
    }
  }

  /** Answers the level's open call, unless the run was ended meanwhile. */
  #reply(level: RunLevel, json: string): void {
    if (this.#isClosed(level)) return;
    const size = Buffer.byteLength(json);
    const limit = level.start.limits.replyBytes;
    level.inCall = false;
    const error: ErrorRecord = { code: 'V8_RESULT_TOO_LARGE', params: { what: 'reply', size, limit } };
    this.#peer.send(HOST_FRAME.reply, level.runId, size > limit ? failureJson(error) : json);
  }

  #isClosed(level: RunLevel): boolean {
    return this.#over || !this.#levels.includes(level) || this.#levels.some((each) => each.ending !== undefined);
  }

  #onDone(frame: Frame): void {
    const level = this.#levels.find((each) => each.runId === frame.runId) ?? this.#root;
    const done = readDone(frame.text);
    const outcome: RunOutcome =
      level.ending === undefined
        ? checkOutcome(done.outcome, level.start.limits)
        : { kind: 'limit', error: level.ending };
    for (const warning of done.warnings) level.sink.warn(warning);
    this.#dropNested(level, outcome);
    if (level === this.#root) this.end(outcome);
    else this.#levels.pop();
    if (level.finish !== undefined) void this.#replyFinished(this.#top, level.finish, outcome);
  }

  /** Ends every level above `level`: they ended with it, and whoever called them hears the same. */
  #dropNested(level: RunLevel, outcome: RunOutcome): void {
    while (this.#top !== level) {
      const { finish } = this.#levels.pop() ?? level;
      if (finish !== undefined) void this.#finish(finish, outcome);
    }
  }

  async #replyFinished(level: RunLevel, finish: NonNullable<RunLevel['finish']>, outcome: RunOutcome): Promise<void> {
    this.#reply(level, await this.#finish(finish, outcome));
  }

  async #finish(finish: NonNullable<RunLevel['finish']>, outcome: RunOutcome): Promise<string> {
    try {
      return await finish(outcome);
    } catch (error) {
      return failureJson(coerceError(error).toRecord());
    }
  }
}

/** The reply of a call that the host could not serve. */
function failureJson(error: ErrorRecord): string {
  return JSON.stringify(fail(error, 'zh'));
}
