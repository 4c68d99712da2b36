import { fail } from '../../core/dos-result.ts';
import { coerceError, type ErrorRecord } from '../../core/errors.ts';
import { findTooMany } from '../../core/json-scan.ts';
import { MAX_JSON_VALUES } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import type { HostCallAnswer, HostCallSink } from '../../ports/engine-runner.ts';
import type { Frame } from '../../protocol/frames.ts';
import { HOST_FRAME, LANE_FRAME, type RunStart } from '../../protocol/messages.ts';
import { writeRunText } from '../../protocol/run-text.ts';
import { writeStepText } from '../../protocol/wait-text.ts';
import { ASYNC_CALLS, KNOWN_CALLS, PARALLEL_CALLS } from './call-kinds.ts';
import { dropProtoKeys } from './drop-proto-keys.ts';
import { ProtocolBreach } from './protocol-breach.ts';
import { checkOutcome, readDone } from './read-done.ts';
import { RunGate } from './run-gate.ts';
import { type NestedRun, RunLevel, splitAtLineFeed } from './run-level.ts';

/** Calls of one run that are under way side by side; more wait. One run must not take every connection of the host. */
export const MAX_PARALLEL_CALLS = 32;

/** What a conversation needs of its lane. */
export interface ConversationPeer {
  send(type: number, runId: number, text: string): void;
  /** An id that this lane has not seen. */
  nextRunId(): number;
}

/** Hands the answer of a host call to the script that made it. */
type AnswerCall = (json: string) => void;

/**
 * The host's side of one root run and everything nested in it. A stack of levels: only the top one may speak, and not
 * while it waits for the host. It waits for the reply to one host call, or, when its script has come to rest, for the
 * answers of async calls and for its next timer. Counts and sizes are enforced here again, because only the host's own
 * counts can be trusted.
 */
export class RunConversation {
  readonly outcome: Promise<RunOutcome>;
  readonly #peer: ConversationPeer;
  readonly #levels: RunLevel[];
  readonly #root: RunLevel;
  #resolve: (outcome: RunOutcome) => void = () => undefined;
  #hostCalls = 0;
  #over = false;
  /** The last of the calls that are made one after another, those of nested engines among them. */
  #lastInOrder: Promise<unknown> = Promise.resolve();
  #callsInOrder = 0;
  readonly #parallel = new RunGate(MAX_PARALLEL_CALLS);

  /** @param hasNext the next run of the same transaction is sent right behind this one. */
  constructor(peer: ConversationPeer, start: RunStart, sink: HostCallSink, hasNext = false) {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#peer = peer;
    this.#root = new RunLevel(peer.nextRunId(), start, sink);
    this.#levels = [this.#root];
    peer.send(hasNext ? HOST_FRAME.runOfSeveral : HOST_FRAME.run, this.#root.runId, writeRunText(start));
  }

  get runId(): number {
    return this.#root.runId;
  }

  /** True while the lane waits for the host and can be told to end the run. */
  get waitsForHost(): boolean {
    return this.#top.open !== 'nothing';
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
    else if (level.open !== 'nothing') throw new ProtocolBreach('a frame while the lane waits for the host');
    else if (frame.type === LANE_FRAME.wantSource) this.#peer.send(HOST_FRAME.source, level.runId, level.takeSource());
    else if (frame.type === LANE_FRAME.log) level.log(frame.text);
    else if (frame.type === LANE_FRAME.call) this.#onCall(level, frame.text);
    else if (frame.type === LANE_FRAME.wait) this.#onWait(level, frame.text);
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
    this.#root.close();
    this.#dropWanted(this.#root, outcome);
    this.#over = true;
    this.#resolve(outcome);
  }

  get #top(): RunLevel {
    return this.#levels[this.#levels.length - 1] ?? this.#root;
  }

  #abort(level: RunLevel, reason: ErrorRecord): void {
    if (this.#over || level.ending !== undefined) return;
    level.ending = reason;
    for (const each of this.#levels.slice(this.#levels.indexOf(level))) each.sink.end?.();
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
    this.#checkCall(level, name, args, KNOWN_CALLS);
    level.open = 'reply';
    if (this.#endOverdue()) return;
    const clean = cleanArguments(args);
    if (!this.#countCalls(1)) return;
    void this.#perform(level, name, clean, (json) => {
      level.reply = json;
      this.#goOn(level);
    });
    this.#goOn(level);
  }

  /** The script has come to rest. Its new calls are made side by side; the sink keeps the order where there is one. */
  #onWait(level: RunLevel, text: string): void {
    const { calls } = level.beginWait(text, () => this.#goOn(level));
    const clean = calls.map(({ name, args }) => {
      this.#checkCall(level, name, args, ASYNC_CALLS);
      return cleanArguments(args);
    });
    if (this.#endOverdue()) return;
    if (!this.#countCalls(calls.length)) return;
    for (const [i, { id, name }] of calls.entries()) {
      void this.#perform(level, name, clean[i] ?? '[]', (json) => {
        level.addAnswer(id, json);
        this.#goOn(level);
      });
    }
    this.#goOn(level);
  }

  #checkCall(level: RunLevel, name: string, args: string, known: ReadonlySet<string>): void {
    if (!known.has(name)) throw new ProtocolBreach('an unknown host call');
    if (Buffer.byteLength(args) > level.start.limits.argumentBytes) throw new ProtocolBreach('arguments are too large');
  }

  /** Engines nested in a run count as its own calls, or nesting would multiply the limit. @returns false at its limit. */
  #countCalls(more: number): boolean {
    this.#hostCalls += more;
    const limit = this.#root.start.limits.hostCalls;
    if (this.#hostCalls <= limit) return true;
    this.#abort(this.#root, { code: 'V8_HOST_CALL_LIMIT', params: { limit } });
    return false;
  }

  #perform(level: RunLevel, name: string, args: string, answer: AnswerCall): Promise<void> {
    const call = (): Promise<HostCallAnswer> => level.sink.call(name, args);
    if (PARALLEL_CALLS.has(name)) return this.#answerWith(level, this.#sideBySide(level, call), answer);
    // Also after the engines that those before it run: in their transaction it would be in the middle of theirs.
    const before = level.lastInOrder;
    const leave = level.enterOrder();
    const made = before === undefined ? this.#inOrder(level, call) : before.then(() => this.#inOrder(level, call));
    return this.#answerWith(level, made, (json) => {
      leave();
      answer(json);
    });
  }

  async #answerWith(level: RunLevel, made: Promise<HostCallAnswer | undefined>, answer: AnswerCall): Promise<void> {
    try {
      const taken = await made;
      if (taken !== undefined) this.#take(level, taken, answer);
    } catch (error) {
      // A sink must not reject; a script is told that the host failed and can still end by itself.
      this.#answer(level, failureJson(coerceError(error).toRecord()), answer);
    }
  }

  /** Makes a call after those before it. @returns undefined when the run has ended meanwhile: it is not made then. */
  async #inOrder(level: RunLevel, call: () => Promise<HostCallAnswer>): Promise<HostCallAnswer | undefined> {
    const before = this.#callsInOrder === 0 ? undefined : this.#lastInOrder;
    this.#callsInOrder += 1;
    const start = () => (this.#isClosed(level) ? undefined : call());
    const running = before === undefined ? Promise.resolve(start()) : before.then(start);
    this.#lastInOrder = running.then(NOTHING, NOTHING);
    try {
      return await running;
    } finally {
      this.#callsInOrder -= 1;
    }
  }

  /** Makes a call beside others, MAX_PARALLEL_CALLS at once. @returns undefined as `#inOrder`. */
  async #sideBySide(level: RunLevel, call: () => Promise<HostCallAnswer>): Promise<HostCallAnswer | undefined> {
    const turn = this.#parallel.enter();
    const pass = turn instanceof Promise ? await turn : turn;
    try {
      return this.#isClosed(level) ? undefined : await call();
    } finally {
      pass.leave();
    }
  }

  #take(level: RunLevel, taken: HostCallAnswer, answer: AnswerCall): void {
    if (taken.kind === 'reply') {
      this.#answer(level, taken.json, answer);
    } else if (this.#isClosed(level)) {
      void this.#finish(taken.finish, { kind: 'unstarted', error: { code: 'DRAINING', params: {} } });
    } else {
      level.nested.push({ start: taken.run, sink: taken.calls, finish: taken.finish, answer });
      this.#goOn(level);
    }
  }

  /**
   * Lets a waiting level go on, unless an engine nested in it has the lane: with its reply, an engine that it wants run,
   * or what was answered meanwhile.
   */
  #goOn(level: RunLevel): void {
    if (this.#isClosed(level) || level !== this.#top || level.open === 'nothing') return;
    const { reply } = level;
    const nested = reply === undefined ? level.nested.shift() : undefined;
    if (reply !== undefined) {
      level.reply = undefined;
      level.open = 'nothing';
      this.#peer.send(HOST_FRAME.reply, level.runId, reply);
    } else if (nested !== undefined) {
      this.#startNested(level, nested);
    } else if (level.open === 'step' && level.canStep) {
      this.#peer.send(HOST_FRAME.step, level.runId, writeStepText(level.endWait()));
    }
  }

  #startNested(level: RunLevel, nested: NestedRun): void {
    const limit = this.#root.start.limits.nesting;
    if (this.#levels.length >= limit) {
      const error: ErrorRecord = { code: 'V8_NESTED_DEPTH_LIMIT', params: { limit } };
      void this.#answerFinished(level, nested, { kind: 'limit', error });
      return;
    }
    const inner = new RunLevel(this.#peer.nextRunId(), nested.start, nested.sink, nested);
    this.#levels.push(inner);
    inner.watchWall(() => this.#endOverdue());
    this.#peer.send(HOST_FRAME.nested, inner.runId, writeRunText(nested.start));
  }

  /** Passes an answer on, unless the run was ended meanwhile or it is too large. */
  #answer(level: RunLevel, json: string, answer: AnswerCall): void {
    if (this.#isClosed(level)) return;
    const size = Buffer.byteLength(json);
    const limit = level.start.limits.replyBytes;
    const error: ErrorRecord = { code: 'V8_RESULT_TOO_LARGE', params: { what: 'reply', size, limit } };
    answer(size > limit ? failureJson(error) : json);
  }

  /** True when the level ended, or ends with the one that is told to end. What is nested in it is not its matter. */
  #isClosed(level: RunLevel): boolean {
    const at = this.#levels.indexOf(level);
    return this.#over || at < 0 || this.#levels.some((each, i) => i <= at && each.ending !== undefined);
  }

  /** Ends a nested engine that passed its own wall time, if the lane listens now. @returns true when one is ended. */
  #endOverdue(): boolean {
    const overdue = this.#levels.find((each) => each.overdue !== undefined);
    if (this.#over || overdue?.overdue === undefined || !this.waitsForHost) return false;
    this.#abort(overdue, overdue.overdue);
    return true;
  }

  #onDone(frame: Frame): void {
    const level = this.#levels.find((each) => each.runId === frame.runId) ?? this.#root;
    const done = readDone(frame.text);
    const said = checkOutcome(done.outcome, level.start.limits);
    const late = said.kind === 'returned' || said.kind === 'nothing' ? level.overdue : undefined;
    const error = level.ending ?? late;
    const outcome: RunOutcome = error === undefined ? said : { kind: 'limit', error };
    // The lane ends a run that succeeded only when nothing of it is under way.
    const succeeded = outcome.kind === 'returned' || outcome.kind === 'nothing';
    if (succeeded && level.hasPendingCalls) throw new ProtocolBreach('a run ended before its calls were answered');
    for (const warning of done.warnings) level.sink.warn(warning);
    this.#dropNested(level, outcome);
    level.close();
    if (level === this.#root) this.end(outcome);
    else this.#levels.pop();
    this.#dropWanted(level, outcome);
    if (level.caller !== undefined) void this.#answerFinished(this.#top, level.caller, outcome);
  }

  /** Ends every level above `level`: they ended with it, and whoever called them hears the same. */
  #dropNested(level: RunLevel, outcome: RunOutcome): void {
    while (this.#top !== level) {
      const dropped = this.#levels.pop() ?? level;
      dropped.close();
      this.#dropWanted(dropped, outcome);
      if (dropped.caller !== undefined) void this.#finish(dropped.caller.finish, outcome);
    }
  }

  /** Engines that were wanted and never began end with the run that wanted them. */
  #dropWanted(level: RunLevel, outcome: RunOutcome): void {
    for (const { finish } of level.nested.splice(0)) void this.#finish(finish, outcome);
  }

  async #answerFinished(
    level: RunLevel,
    { finish, answer }: Pick<NestedRun, 'finish' | 'answer'>,
    outcome: RunOutcome,
  ): Promise<void> {
    this.#take(level, await this.#finish(finish, outcome), answer);
    this.#goOn(level);
  }

  async #finish(finish: NestedRun['finish'], outcome: RunOutcome): Promise<HostCallAnswer> {
    try {
      const answer = await finish(outcome);
      return typeof answer === 'string' ? { kind: 'reply', json: answer } : answer;
    } catch (error) {
      return { kind: 'reply', json: failureJson(coerceError(error).toRecord()) };
    }
  }
}

/** Those with more values than a call may have are not read here: the sink refuses them unread. */
function cleanArguments(args: string): string {
  return findTooMany(args, MAX_JSON_VALUES) === undefined ? dropProtoKeys(args) : args;
}

const NOTHING = (): void => undefined;

/** The reply of a call that the host could not serve. */
function failureJson(error: ErrorRecord): string {
  return JSON.stringify(fail(error, 'zh'));
}
