import type { FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

/** How much may be held, all in bytes. */
export interface BodyBounds {
  /** By all requests together. */
  readonly most: number;
  /** By all requests of one address: who sends slowly keeps nobody else out. */
  readonly perAddress: number;
  /** By one request; a body of unknown length counts as that. */
  readonly perRequest: number;
}

/**
 * Memory for bodies that are being received. Anybody may send one before it is known who they are, so all of them
 * together have a bound, and each address a smaller one.
 */
export class BodyMemory {
  readonly #bounds: BodyBounds;
  readonly #byAddress = new Map<string, number>();
  #taken = 0;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  /** @returns what gives the memory back, to be called once. @throws AppError REQUEST_TOO_LARGE, ENTRY_BUSY. */
  take(request: Pick<FastifyRequest, 'headers' | 'ip'>): () => void {
    const { most, perAddress, perRequest } = this.#bounds;
    const size = this.#sizeOf(request);
    if (size > perRequest) throw new AppError('REQUEST_TOO_LARGE', { limit: perRequest });
    const ofAddress = this.#byAddress.get(request.ip) ?? 0;
    if (this.#taken + size > most || ofAddress + size > perAddress) throw new AppError('ENTRY_BUSY');
    this.#add(request.ip, size);
    return () => this.#add(request.ip, -size);
  }

  #add(address: string, size: number): void {
    this.#taken += size;
    const held = (this.#byAddress.get(address) ?? 0) + size;
    if (held === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, held);
  }

  #sizeOf({ headers }: Pick<FastifyRequest, 'headers'>): number {
    const length = headers['content-length'];
    if (length !== undefined) return Number(length);
    return headers['transfer-encoding'] === undefined ? 0 : this.#bounds.perRequest;
  }
}
