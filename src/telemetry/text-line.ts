const CLOCK = new Intl.DateTimeFormat('sv-SE', { timeStyle: 'medium' });

/** Fields that have a place of their own in the line. */
const PLACED = new Set(['time', 'level', 'component', 'event', 'err']);

/** A log record as one line for people: time, level, event, component, then the fields as `name=value`. */
export function toTextLine(record: Readonly<Record<string, unknown>>): string {
  const { time, level, component, event, err } = record;
  const fields = Object.entries(record)
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => `${name}=${toText(value)}`);
  const head = [CLOCK.format(new Date(String(time))), String(level).toUpperCase().padEnd(5), event];
  return `${[...head, ...(component === undefined ? [] : [`[${component}]`]), ...fields, ...errorText(err)].join(' ')}\n`;
}

function errorText(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const { code, message, causes, stack } = err as Record<string, unknown>;
  const chain = Array.isArray(causes) ? causes.map((cause) => ` <- ${cause}`).join('') : '';
  const frames = Array.isArray(stack) ? ` (${stack.join(' ')})` : '';
  return [oneLine(`| ${code === undefined ? '' : `${code}: `}${message}${chain}${frames}`)];
}

function toText(value: unknown): string {
  const text = oneLine(String(value));
  return /\s/.test(text) || text === '' ? JSON.stringify(text) : text;
}

/** One record is one line, also when a message brings line breaks along. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ');
}
