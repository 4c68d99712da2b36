import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { tenantKey } from './tenant.ts';

/** Whose topic it is, and who else there is: names of other tenants are no words of this one's topics. */
export interface TopicScope {
  readonly tenant: string;
  /** True for a name, in any case, of a loaded tenant that is not this one. */
  isOtherTenant(name: string): boolean;
}

/** Levels of a canonical topic: matching recurses, and a hundred are more than any plant has. */
export const MAX_TOPIC_LEVELS = 100;

/** Length of a canonical topic in UTF-8. Bytes. */
export const MAX_TOPIC_BYTES = 4_096;

/** The part of every topic of a tenant that devices need not write. */
export function topicPrefix(tenant: string): string {
  return `tenant/${tenantKey(tenant)}/`;
}

/**
 * The canonical name of a topic that a message is published to (mq-mqtt.md 6.6): `tenant/{own}/` and the path, whose
 * case stays. The canonical name of a canonical name is itself.
 *
 * Refusals: TOPIC_INVALID naming the rule; TOPIC_FOREIGN for another tenant's; TOPIC_RESERVED for `$SYS/`, `$share/`.
 */
export function toTopicName(raw: string, scope: TopicScope): Parsed<string> {
  return normalise(raw, scope, /[#+]/.test(raw) ? NO_WILDCARDS : undefined);
}

/** The same for a filter of a subscription: `#` stands only as its last level, `+` only as a whole one. */
export function toTopicFilter(raw: string, scope: TopicScope): Parsed<string> {
  const levels = raw.trim().split('/');
  const misplaced = levels.some(
    (level, index) =>
      (level.includes('#') && (level !== '#' || index !== levels.length - 1)) || (level.includes('+') && level !== '+'),
  );
  return normalise(raw, scope, misplaced ? MISPLACED : undefined);
}

/** The topic as a device with short topics sees it. */
export function shortTopic(topic: string, tenant: string): string {
  const prefix = topicPrefix(tenant);
  return topic.startsWith(prefix) ? topic.slice(prefix.length) : topic;
}

/** True when the filter takes the topic. Both are canonical. */
export function filterMatches(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/**
 * Sorts canonical filters so that of those that take one topic the most specific comes first: level by level a name
 * before `+`, `+` before `#`.
 */
export function compareFilters(one: string, other: string): number {
  const levels = one.split('/');
  const others = other.split('/');
  for (let index = 0; index < Math.max(levels.length, others.length); index++) {
    const difference = breadth(levels[index]) - breadth(others[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How much a level takes; one that is not there takes nothing. */
function breadth(level: string | undefined): number {
  return level === '#' ? 2 : level === '+' ? 1 : 0;
}

const EMPTY = bilingual('不能为空', 'it is empty');
const NO_WILDCARDS = bilingual('发布主题不能含 # 或 +', 'a topic to publish to has no # or +');
const MISPLACED = bilingual('# 只能是最后一级，+ 只能独占一级', '# is the last level only, + a whole level only');
const CONTROL = bilingual('不能含控制字符', 'it has no control characters');
const PATH = bilingual('不能含反斜杠、空的层级、. 或 ..', 'it has no backslash, no empty level, no . and no ..');
const TAIL = bilingual('前缀之后没有内容', 'nothing follows the prefix');
const TOO_LONG = bilingual(
  `最多 ${MAX_TOPIC_LEVELS} 级、${MAX_TOPIC_BYTES} 字节`,
  `at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`,
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

function normalise(raw: string, scope: TopicScope, wildcardRule: string | undefined): Parsed<string> {
  const topic = withoutEdges(raw);
  if (topic === '') return invalid(EMPTY);
  if (/^\$(share|sys)\//i.test(topic)) return refuse('TOPIC_RESERVED');
  if (wildcardRule !== undefined) return invalid(wildcardRule);
  const [first = ''] = topic.split('/', 1);
  if (first !== 'tenant' && scope.isOtherTenant(first)) return refuse('TOPIC_FOREIGN');
  if (CONTROL_CHARACTER.test(topic)) return invalid(CONTROL);
  if (/\\|\/\/|(^|\/)\.\.?(\/|$)/.test(topic)) return invalid(PATH);
  const path = pathOf(topic, tenantKey(scope.tenant));
  if (!path.ok) return path;
  return withinLimits(topicPrefix(scope.tenant) + path.value);
}

/** The topic below the tenant's prefix, whichever of its forms was written. */
function pathOf(topic: string, own: string): Parsed<string> {
  const levels = topic.split('/');
  const [first = '', second] = levels.slice(0, 2).map(tenantKey);
  if (first === 'tenant' && second !== undefined) {
    if (second !== own || levels.length < 3) return refuse('TOPIC_FOREIGN');
    return tail(levels.slice(2).join('/'));
  }
  return first === own && levels.length > 1 ? tail(levels.slice(1).join('/')) : accept(topic);
}

function tail(path: string): Parsed<string> {
  return path === '' ? invalid(TAIL) : accept(path);
}

function withinLimits(topic: string): Parsed<string> {
  const fits = topic.split('/').length <= MAX_TOPIC_LEVELS && utf8Length(topic) <= MAX_TOPIC_BYTES;
  return fits ? accept(topic) : invalid(TOO_LONG);
}

/** Blanks around it and slashes in front say nothing; what is left has neither, so that doing it twice changes nothing. */
function withoutEdges(raw: string): string {
  return raw.includes('\0') ? raw : raw.replace(/^[\s/]+/, '').trimEnd();
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function invalid(rule: string): ReturnType<typeof refuse> {
  return refuse('TOPIC_INVALID', { rule });
}
