/**
 * Which IP addresses a script may reach. Only globally routed unicast is public; the rest (IANA special-purpose
 * registries, RFC 6890 and its updates) is this host, its network, or nobody's.
 */

/** First address and prefix length of an IPv4 block that is not public. */
type Ipv4Block = readonly [first: string, bits: number];

const CLOSED_IPV4: readonly Ipv4Block[] = [
  ['0.0.0.0', 8], // this network; Linux connects 0.0.0.0 to itself
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba Cloud metadata at 100.100.100.200
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host agent answers on this routed address
  ['169.254.0.0', 16], // link-local; cloud metadata at 169.254.169.254
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle Cloud metadata at 192.0.0.192
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** First groups and prefix length of a closed block inside 2000::/3, the only range of global unicast. */
const CLOSED_IPV6: readonly (readonly [first: readonly number[], bits: number])[] = [
  [[0x2001, 0x0000], 23], // protocol assignments: Teredo, benchmarks, ORCHID
  [[0x2001, 0x0db8], 32], // documentation
  [[0x2002], 16], // 6to4 carries an IPv4 address of its own
  [[0x3fff, 0x0000], 20], // documentation
];

/** True when the address is public: a script may connect to it. Anything that is no address is not. */
export function isPublicAddress(text: string): boolean {
  const v4 = parseIpv4(text);
  if (v4 !== undefined) return isPublicIpv4(v4);
  const v6 = parseIpv6(text);
  return v6 !== undefined && isPublicIpv6(v6);
}

/** True for an IPv4 or IPv6 address in its text form, without brackets. */
export function isAddress(text: string): boolean {
  return parseIpv4(text) !== undefined || parseIpv6(text) !== undefined;
}

function isPublicIpv4(address: number): boolean {
  return !CLOSED_IPV4.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((parseIpv4(first) ?? 0) / size);
  });
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const embedded = embeddedIpv4(groups);
  if (embedded !== undefined) return isPublicIpv4(embedded);
  return hasPrefix(groups, [0x2000], 3) && !CLOSED_IPV6.some(([first, bits]) => hasPrefix(groups, first, bits));
}

/** The IPv4 address that a mapped (::ffff:a.b.c.d) or NAT64 (64:ff9b::a.b.c.d) address leads to. */
function embeddedIpv4(groups: readonly number[]): number | undefined {
  const mapped = hasPrefix(groups, [0, 0, 0, 0, 0, 0xffff], 96);
  const nat64 = hasPrefix(groups, [0x64, 0xff9b, 0, 0, 0, 0], 96);
  return mapped || nat64 ? (groups[6] ?? 0) * 0x10000 + (groups[7] ?? 0) : undefined;
}

function hasPrefix(groups: readonly number[], prefix: readonly number[], bits: number): boolean {
  for (let index = 0; index * 16 < bits; index++) {
    const shift = 16 - Math.min(16, bits - index * 16);
    if ((groups[index] ?? 0) >> shift !== (prefix[index] ?? 0) >> shift) return false;
  }
  return true;
}

/** Four decimal parts, as resolvers and URL parsers write them; other spellings are no address here. */
function parseIpv4(text: string): number | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  if (parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Eight groups; accepts `::`, a dotted tail and a zone (`%eth0`), which does not change where the address belongs. */
function parseIpv6(text: string): number[] | undefined {
  const plain = withoutDottedTail(text.split('%', 1)[0] ?? '');
  if (plain === undefined || !plain.includes(':')) return undefined;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])];
}

function parseGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => parseInt(group, 16))
    : undefined;
}

/** Rewrites `…:1.2.3.4` as two hex groups. */
function withoutDottedTail(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const colon = text.lastIndexOf(':');
  const v4 = parseIpv4(text.slice(colon + 1));
  if (v4 === undefined || colon === -1) return undefined;
  return `${text.slice(0, colon + 1)}${Math.floor(v4 / 0x10000).toString(16)}:${(v4 % 0x10000).toString(16)}`;
}
