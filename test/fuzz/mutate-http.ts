import type { Dice } from './mutate.ts';

/** Pieces at which parsers of HTTP, JSON, forms, languages and addresses change their mind. */
const PIECES = [
  '\r\n',
  '\n',
  '\0',
  '%00',
  '%',
  '%ZZ',
  '%2f..%2f',
  '../',
  '//',
  '\\',
  '?',
  '#',
  '"',
  '{',
  '}',
  '[',
  ']',
  '[[[[[[[[',
  ',',
  ':',
  ';',
  '=',
  '&',
  ' ',
  '\t',
  '1e999',
  '-1',
  '9007199254740993',
  '\u4e2d',
  '\ufffd',
  '\ud83d\ude00',
  '__proto__',
  'constructor',
  '"toJSON":1,',
  '<![CDATA[',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  'charset=utf-7',
  'boundary=',
  '--b0--',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 3\r\n',
  'Content-Type: application/json\r\n',
  'Content-Encoding: gzip\r\n',
  'X-Forwarded-For: ::ffff:127.0.0.1, a\r\n',
  'Accept-Language: ,;q=\r\n',
  'Authorization: Bearer\r\n',
  'Cookie: =;;=\r\n',
  'Origin: null\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'OsClient: ../other\r\n',
  'x'.repeat(20_000),
] as const;

type Mutation = (bytes: Buffer, dice: Dice, corpus: readonly Buffer[]) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  function insertPiece(bytes, dice) {
    return replaced(bytes, placeIn(bytes, dice), 0, Buffer.from(dice.pick(PIECES)));
  },
  function replaceByPiece(bytes, dice) {
    return replaced(bytes, placeIn(bytes, dice), 1 + dice.roll(8), Buffer.from(dice.pick(PIECES)));
  },
  function flipBit(bytes, dice) {
    const at = dice.roll(bytes.byteLength);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.roll(8));
    return bytes;
  },
  function remove(bytes, dice) {
    return replaced(bytes, dice.roll(bytes.byteLength), 1 + dice.roll(12), Buffer.alloc(0));
  },
  function splice(bytes, dice, corpus) {
    const other = dice.pick(corpus);
    return Buffer.concat([bytes.subarray(0, placeIn(bytes, dice)), other.subarray(placeIn(other, dice))]);
  },
  function repeat(bytes, dice) {
    const from = placeIn(bytes, dice);
    const part = bytes.subarray(from, from + 1 + dice.roll(60));
    return replaced(bytes, from, 0, part);
  },
];

/** A request that is almost right. Mostly its Content-Length is that of its body, so that more than the length is tried. */
export function mutateHttp(request: Buffer, dice: Dice, corpus: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(request);
  for (let times = 1 + dice.roll(2); times > 0 && bytes.byteLength > 1; times--) {
    bytes = dice.pick(MUTATIONS)(bytes, dice, corpus);
  }
  return dice.roll(5) === 0 ? bytes : fitted(bytes);
}

/** Anywhere, or at the start of a line, where headers begin. */
function placeIn(bytes: Buffer, dice: Dice): number {
  const at = dice.roll(bytes.byteLength + 1);
  if (dice.roll(2) === 0) return at;
  const line = bytes.indexOf('\r\n', at);
  return line < 0 ? at : line + 2;
}

function replaced(bytes: Buffer, at: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}

function fitted(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return bytes;
  const body = bytes.subarray(end + 4);
  const head = bytes
    .subarray(0, end)
    .toString('latin1')
    .replace(/^Content-Length: .*$/m, `Content-Length: ${body.byteLength}`);
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
}
