import { withoutCredentials } from './mask-secrets.ts';

/** Longest message of an error in the log. Drivers quote values in theirs. Characters. */
const MAX_MESSAGE = 500;
const MAX_CAUSES = 5;
const MAX_FRAMES = 8;

/** An error as the log holds it. */
export interface ErrorFields {
  readonly code?: string;
  readonly message: string;
  /** `code: message` of each cause, outermost first. */
  readonly causes?: readonly string[];
  /** Where it was thrown: frames of the innermost error, without its text. */
  readonly stack?: readonly string[];
}

/**
 * Writes down an error with its chain of causes. Errors of ours with a code explain themselves; only an unexpected
 * one (no code, or INTERNAL) shows where in the host it arose.
 */
export function errorFields(error: Error): ErrorFields {
  const chain = causeChain(error);
  const [code, message] = [codeOf(error), shortMessage(error)];
  const causes = chain.slice(1).map((cause) => [codeOf(cause), shortMessage(cause)].filter(Boolean).join(': '));
  const unexpected = code === undefined || code === 'INTERNAL';
  const frames = unexpected ? framesOf(chain.at(-1) ?? error) : [];
  return {
    ...(code === undefined ? {} : { code }),
    message,
    ...(causes.length === 0 ? {} : { causes }),
    ...(frames.length === 0 ? {} : { stack: frames }),
  };
}

function causeChain(error: Error): Error[] {
  const chain: Error[] = [];
  for (let next: unknown = error; next !== undefined && next !== null && chain.length <= MAX_CAUSES; ) {
    const known = next instanceof Error ? next : new Error(String(next));
    if (chain.includes(known)) break;
    chain.push(known);
    next = known.cause;
  }
  return chain;
}

function codeOf(error: Error): string | undefined {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

function shortMessage(error: Error): string {
  const text = withoutCredentials(error.message);
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

function framesOf(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith('at ')).slice(0, MAX_FRAMES);
}
