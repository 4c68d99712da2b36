/** Numbers that look random and come again with the same seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** @returns an integer from 0 to below `sides`. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }
}

/** Values at which lengths, ids and texts change their meaning. */
const EDGES = [0, 1, 2, 0x7f, 0x80, 0x81, 0xc0, 0xed, 0xfe, 0xff] as const;

type Mutation = (bytes: Buffer, dice: Dice, corpus: readonly Buffer[]) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, dice) {
    const at = dice.roll(bytes.byteLength);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.roll(8));
    return bytes;
  },
  function setEdge(bytes, dice) {
    bytes[dice.roll(bytes.byteLength)] = dice.pick(EDGES);
    return bytes;
  },
  function setLength(bytes, dice) {
    bytes[1] = dice.roll(256);
    return bytes;
  },
  function cut(bytes, dice) {
    return bytes.subarray(0, dice.roll(bytes.byteLength));
  },
  function remove(bytes, dice) {
    const at = dice.roll(bytes.byteLength);
    return fitted(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice.roll(4))]), dice);
  },
  function insert(bytes, dice) {
    const at = dice.roll(bytes.byteLength + 1);
    const more = Buffer.from(Array.from({ length: 1 + dice.roll(6) }, () => dice.roll(256)));
    return fitted(Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]), dice);
  },
  function splice(bytes, dice, corpus) {
    const other = dice.pick(corpus);
    const from = dice.roll(other.byteLength);
    return fitted(Buffer.concat([bytes.subarray(0, dice.roll(bytes.byteLength + 1)), other.subarray(from)]), dice);
  },
  function repeat(bytes, dice) {
    const from = dice.roll(bytes.byteLength);
    const part = bytes.subarray(from, from + 1 + dice.roll(12));
    return fitted(Buffer.concat([bytes.subarray(0, from), part, part, bytes.subarray(from + part.byteLength)]), dice);
  },
  function changeType(bytes, dice) {
    bytes[0] = dice.roll(256);
    return bytes;
  },
];

/** A packet that is almost right. */
export function mutate(packet: Buffer, dice: Dice, corpus: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(packet);
  for (let times = 1 + dice.roll(3); times > 0 && bytes.byteLength > 1; times--) {
    bytes = dice.pick(MUTATIONS)(bytes, dice, corpus);
  }
  return bytes;
}

/** Mostly with the length of what is there now, so that more than the length is tried. */
function fitted(bytes: Buffer, dice: Dice): Buffer {
  const length = bytes.byteLength - 2;
  if (length >= 0 && length < 0x80 && dice.roll(4) > 0) bytes[1] = length;
  return bytes;
}
