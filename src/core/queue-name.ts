import { accept, type Parsed, refuse } from './errors.ts';
import { printable } from './printable.ts';
import { parseTenantId, tenantKey } from './tenant.ts';

/** Every physical name starts with this; nobody but the host writes it. */
const PLATFORM = 'microi.';

const LOGICAL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Names that the host derives from others (defaults.md 10.4). */
const RESERVED = /(^|\.)(dlq|retry(\.\d+)?)$/i;

/** An AMQP short string holds 255 bytes; every character of a checked name is one byte. */
const LONGEST_PHYSICAL = 255;

/**
 * Maps a queue name of a tenant to the name of its queue: `orders` -> `microi.{tenant}.orders` (mq-mqtt.md 1.2). The
 * tenant's own prefix is stripped once, so the result maps to itself. The case of the name is kept: `Orders` and
 * `orders` are two queues.
 *
 * Refusals: TENANT_INVALID; QUEUE_FOREIGN for a prefix of the platform that is not this tenant's, also behind the own
 * one; QUEUE_INVALID for other characters or lengths; QUEUE_RESERVED for names that the host derives itself.
 */
export function toPhysicalQueue(tenant: unknown, name: unknown): Parsed<string> {
  const owner = parseTenantId(tenant);
  if (!owner.ok) return owner;
  const prefix = `${PLATFORM}${tenantKey(owner.value)}.`;
  const text = trimmed(name);
  const logical = parseLogicalQueue(startsWithIgnoringCase(text, prefix) ? text.slice(prefix.length) : text);
  if (!logical.ok) return logical;
  const physical = prefix + logical.value;
  return physical.length > LONGEST_PHYSICAL ? refuse('QUEUE_INVALID', { queue: printable(text) }) : accept(physical);
}

/** Checks a logical name where no tenant is known yet, such as `@queue` of a script's header. */
export function parseLogicalQueue(name: unknown): Parsed<string> {
  const text = trimmed(name);
  const queue = printable(text);
  if (startsWithIgnoringCase(text, PLATFORM)) return refuse('QUEUE_FOREIGN', { queue });
  if (!LOGICAL.test(text)) return refuse('QUEUE_INVALID', { queue });
  return RESERVED.test(text) ? refuse('QUEUE_RESERVED', { queue }) : accept(text);
}

/** The name as the tenant wrote it: `microi.{tenant}.orders` -> `orders`. A name without the prefix is returned as is. */
export function toLogicalQueue(physical: string): string {
  return physical.replace(/^microi\.[^.]+\./, '');
}

function trimmed(name: unknown): string {
  return typeof name === 'string' ? name.trim() : '';
}

function startsWithIgnoringCase(text: string, prefix: string): boolean {
  return tenantKey(text.slice(0, prefix.length)) === prefix;
}
