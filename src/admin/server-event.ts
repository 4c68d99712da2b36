/** A server-sent event. JSON has no line breaks of its own, so it is one line of data. */
export function serverEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** Keeps a quiet stream alive; readers pass over it. */
export const BEAT = ': beat\n\n';
