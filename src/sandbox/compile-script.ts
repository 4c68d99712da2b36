import type ivm from 'isolated-vm';
import type { SourcePosition } from '../core/run-outcome.ts';
import { readSyntaxError, scriptFile } from './script-error.ts';

/**
 * A compiled script: evaluates to a function that makes the function whose body is the source. Each run gets one of its
 * own, or what a script hangs on `arguments.callee` would be there in the next.
 */
export interface CompiledScript {
  readonly script: ivm.Script;
  readonly isAsync: boolean;
}

/** Why a source does not compile. Lines and columns are the source's own. */
export interface SyntaxFault {
  readonly at: SourcePosition;
  readonly message: string;
}

export type CompileAttempt =
  | { readonly ok: true; readonly compiled: CompiledScript }
  | { readonly ok: false; readonly fault: SyntaxFault };

/** The source starts on a line of its own, so columns stay right; LINE_OFFSET gives line 1 back to it. */
const WRAPPERS = {
  sync: '(function () { return function () {\n',
  async: '(function () { return async function () {\n',
  method: '({ run() {\n',
} as const;
const LINE_OFFSET = -1;

/** A source without this word is compiled as a plain function; `await (x)` in one would be a call of `await`. */
const AWAIT = /\bawait\b/;

/**
 * Compiles a source as a function body. One that says `await` is tried as an async function first, and as a plain one
 * when that fails, because sloppy scripts may use `await` as a name. The attempt that read further names the fault.
 *
 * This alone does not prove that the source is one function body: `checkBody` of the prelude does, in a context.
 */
export function compileScript(isolate: ivm.Isolate, engineKey: string, source: string): CompileAttempt {
  if (!AWAIT.test(source)) return attempt(isolate, engineKey, source, false);
  const async = attempt(isolate, engineKey, source, true);
  if (async.ok) return async;
  const sync = attempt(isolate, engineKey, source, false);
  return sync.ok || isFurther(sync.fault.at, async.fault.at) ? sync : async;
}

/** Where a source closes the function around it; the start of the source when that cannot be told. */
export function locateWrapperBreak(
  isolate: ivm.Isolate,
  engineKey: string,
  source: string,
  message: string,
): SyntaxFault {
  try {
    // Another wrapper, which a source made for the first one does not fit.
    compile(isolate, engineKey, `${WRAPPERS.method}${source}\n} })`).release();
  } catch (error) {
    return readSyntaxError(scriptFile(engineKey), (error as Error).message);
  }
  return { at: { file: scriptFile(engineKey), line: 1, column: 1 }, message };
}

function attempt(isolate: ivm.Isolate, engineKey: string, source: string, isAsync: boolean): CompileAttempt {
  try {
    const script = compile(isolate, engineKey, `${isAsync ? WRAPPERS.async : WRAPPERS.sync}${source}\n} })`);
    return { ok: true, compiled: { script, isAsync } };
  } catch (error) {
    // A compiler that ran out of memory is no fault of the syntax.
    if (isolate.isDisposed) throw error;
    return { ok: false, fault: insideOf(source, readSyntaxError(scriptFile(engineKey), (error as Error).message)) };
  }
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** A source that ends too early is told so at its end: the compiler speaks of the wrapper's brackets behind it. */
function insideOf(source: string, { at, message }: SyntaxFault): SyntaxFault {
  const lines = source.split(LINE_END);
  if (at.line <= lines.length) return { at, message };
  const end = { ...at, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  return { at: end, message: /^Unexpected token '[})]'$/.test(message) ? 'Unexpected end of input' : message };
}

function compile(isolate: ivm.Isolate, engineKey: string, code: string): ivm.Script {
  return isolate.compileScriptSync(code, { filename: scriptFile(engineKey), lineOffset: LINE_OFFSET });
}

function isFurther(a: SourcePosition, b: SourcePosition): boolean {
  return a.line > b.line || (a.line === b.line && a.column > b.column);
}
