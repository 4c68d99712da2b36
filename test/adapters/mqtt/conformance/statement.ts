import type { Packet } from 'mqtt-packet';
import { type ConnectOptions, Wire } from './wire.ts';

/** A normative statement of MQTT 5 by its number there, what is tried, and the trial. */
export type Statement = readonly [number: string, what: string, trial: (mqtt: Trial) => Promise<void>];

/** The server that is tried. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Longest wait for what has to come. Milliseconds. */
  readonly waitMs: number;
  /** User name of every client; ours reads the tenant from it. */
  readonly userName: string;
}

let trials = 0;

/** What one trial works with: topics and client ids that no other one has. */
export class Trial {
  readonly #target: Target;
  readonly #wires: Wire[] = [];
  /** A word that no other trial has. */
  readonly word = `w${process.pid}x${++trials}`;

  constructor(target: Target) {
    this.#target = target;
  }

  topic(name = 't'): string {
    return `${this.word}/${name}`;
  }

  async open(version: 3 | 4 | 5 = 5): Promise<Wire> {
    const { host, port, waitMs } = this.#target;
    const wire = (await Wire.open(host, port, waitMs)).listen(version);
    this.#wires.push(wire);
    return wire;
  }

  /** Sends a CONNECT and waits for whatever answers it. */
  async ask(options: ConnectOptions = {}): Promise<Wire> {
    const version = options.protocolVersion ?? 5;
    const wire = await this.open(version);
    wire.send(this.connectPacket(options));
    wire.connack = await wire.next('connack');
    return wire;
  }

  connectPacket(options: ConnectOptions = {}): Packet {
    const clientId = `${this.word}-${this.#wires.length}`;
    const packet = { cmd: 'connect', clientId, clean: true, keepalive: 0, username: this.#target.userName };
    return { protocolId: 'MQTT', protocolVersion: 5, ...packet, ...options } as Packet;
  }

  /** A client that has been let in. */
  async client(options: ConnectOptions = {}): Promise<Wire> {
    const wire = await this.ask(options);
    const { reasonCode, returnCode } = wire.connack;
    if ((reasonCode ?? returnCode) !== 0) throw new Error(`refused: ${reasonCode ?? returnCode}`);
    return wire;
  }

  end(): void {
    for (const wire of this.#wires) wire.cut();
  }
}

/** Seconds as a promise. */
export function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}
