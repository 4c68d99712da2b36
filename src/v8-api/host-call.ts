/**
 * One host call, from the arguments a script passed to the answer it gets. What is the same for every member is done
 * here once: the transaction argument, the language of messages, and turning an expected failure into `Code: 0`.
 */
import { type DosResult, fail } from '../core/dos-result.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, type ErrorRecord, type Lang } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { HostCallAnswer } from '../ports/engine-runner.ts';
import type { RunContext } from '../ports/run-context.ts';

/** What a member may answer: a result, a bare value (an id, a response body), or an engine to run first. */
export type MemberAnswer = HostCallAnswer | DosResult | JsonValue;

/**
 * A row of the host-call table. Expected failures are answers; what it rejects with is a fault of the host.
 * @param args the script's arguments as they crossed the boundary.
 */
export type HostCall = (context: RunContext, args: readonly JsonValue[]) => Promise<MemberAnswer>;

/** A host call with its arguments taken apart. */
export interface Call {
  readonly context: RunContext;
  /** The arguments without a trailing `V8.DbTrans`. */
  readonly args: readonly JsonValue[];
  /** True when the script passed `V8.DbTrans` last. */
  readonly joins: boolean;
  /** Language of this call's messages. */
  readonly lang: Lang;
}

/** A member of `V8`. It refuses by throwing AppError; `hostCall` makes the answer of it. */
export type Member = (call: Call) => Promise<MemberAnswer>;

/**
 * Makes a table row of a member.
 * @param answerFailure how a failure looks to the script where it is no DosResult (V8.Http answers text).
 */
export function hostCall(
  member: Member,
  answerFailure: (error: ErrorRecord, lang: Lang) => MemberAnswer = fail,
): HostCall {
  return async (context, args) => {
    const call = takeApart(context, args);
    return answered(call, () => member(call), answerFailure);
  };
}

/** Makes an answer of what `work` refuses: also for what goes on when an engine or event of the call has ended. */
export async function answered<T extends MemberAnswer>(
  { context, lang }: Pick<Call, 'context' | 'lang'>,
  work: () => Promise<T>,
  answerFailure: (error: ErrorRecord, lang: Lang) => T = fail as never,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code === 'INTERNAL') throw thrown;
    if (ERROR_TABLE[thrown.code].kind === 'unavailable') context.dependencyFailed();
    return answerFailure(thrown.toRecord(), lang);
  }
}

function takeApart(context: RunContext, args: readonly JsonValue[]): Call {
  const joins = isTransaction(args.at(-1));
  const own = joins ? args.slice(0, -1) : args;
  return { context, args: own, joins, lang: callLang(own, context.lang) };
}

/** The shim writes `V8.DbTrans`, and nothing else, as `{"$trans":true}`. */
function isTransaction(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && value.$trans === true && Object.keys(value).length === 1;
}

/**
 * `_Lang` or `lang` beginning with `en` is English, any other `_Lang` 中文 (defaults.md 10.9). A `lang` that names
 * neither language may be a column of the table and says nothing.
 */
function callLang(args: readonly JsonValue[], otherwise: Lang): Lang {
  const param: JsonObject | undefined = args.find(isJsonObject);
  const asked = textOf(param?._Lang);
  if (asked !== '') return /^en/i.test(asked) ? 'en' : 'zh';
  const plain = /^(en|zh|cn)/i.exec(textOf(param?.lang))?.[1]?.toLowerCase();
  if (plain === undefined) return otherwise;
  return plain === 'en' ? 'en' : 'zh';
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}
