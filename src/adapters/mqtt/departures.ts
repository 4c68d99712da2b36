/**
 * The clients of a tenant whose last connection is gone and not yet finished: something that it sent is still being
 * answered, or its will is on its way. A new connection of the client comes after that (MQTT 5, 3.1.4).
 */
export class Departures {
  readonly #open = new Map<string, PromiseWithResolvers<void>>();

  begin(clientId: string): void {
    if (!this.#open.has(clientId)) this.#open.set(clientId, Promise.withResolvers());
  }

  end(clientId: string): void {
    this.#open.get(clientId)?.resolve();
    this.#open.delete(clientId);
  }

  has(clientId: string): boolean {
    return this.#open.has(clientId);
  }

  /** Resolves when it is finished; undefined when there is nothing to wait for. */
  of(clientId: string): Promise<void> | undefined {
    return this.#open.get(clientId)?.promise;
  }
}
