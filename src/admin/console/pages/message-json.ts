/** Members of an envelope whose text people edit. */
const ENVELOPE_MESSAGE = 'Message';

/**
 * The Message of an envelope's text, indented for people. Undefined when the text is no envelope, or has numbers that
 * would change by being read here (beyond 2^53-1): then the envelope is shown as it is and not edited.
 */
export function editableMessage(envelope: string): string | undefined {
  if (/[^"\d.][-]?\d{16,}/.test(envelope)) return undefined;
  try {
    const value: unknown = JSON.parse(envelope);
    if (typeof value !== 'object' || value === null || !(ENVELOPE_MESSAGE in value)) return undefined;
    return JSON.stringify(value[ENVELOPE_MESSAGE], null, 2);
  } catch {
    return undefined;
  }
}

/** True when the text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A text that may be JSON, indented when it is. */
export function prettyJson(text: string): string {
  return /[^"\d.][-]?\d{16,}/.test(text) || !isJson(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
}
