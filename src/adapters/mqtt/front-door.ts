import type { Duplex } from 'node:stream';
import type { BrokerListener } from '../../ports/broker.ts';
import { type ListenerOptions, type Listening, openListener } from './listener.ts';

/** Whoever serves the devices that come in at a door. */
export interface DeviceTaker {
  accept(stream: Duplex, address: string): void;
}

/** The listeners of a host whose devices are served now by its own broker and now by that of another host. */
export class FrontDoor {
  readonly #listening: Listening[] = [];
  /** Who takes the devices that come from now on. */
  taker: DeviceTaker;

  private constructor(taker: DeviceTaker) {
    this.taker = taker;
  }

  /** Opens all of them or none. @throws AppError MQTT_LISTEN_FAILED, MQTT_TLS_INVALID. */
  static async open(
    listeners: readonly ListenerOptions[],
    taker: DeviceTaker,
    onError: (kind: BrokerListener['kind'], error: Error) => void,
  ): Promise<FrontDoor> {
    const door = new FrontDoor(taker);
    try {
      for (const options of listeners) {
        const accept = (stream: Duplex, address: string): void => door.taker.accept(stream, address);
        door.#listening.push(await openListener(options, accept, (error) => onError(options.kind, error)));
      }
    } catch (error) {
      await door.close();
      throw error;
    }
    return door;
  }

  get listeners(): readonly BrokerListener[] {
    return this.#listening.map(({ listener }) => listener);
  }

  async close(): Promise<void> {
    await Promise.all(this.#listening.map((listening) => listening.close()));
  }
}
