/** An event as a host sends it: its name and the JSON text of its data. */
export type OnEvent = (name: string, json: string) => void;

/** Reads server-sent events; comments say nothing. One reader for each answer. */
export class EventReader {
  readonly #onEvent: OnEvent;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  take(chunk: Uint8Array): void {
    const blocks = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#read(block);
  }

  #read(block: string): void {
    const lines = block.split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = field('data');
    if (data !== undefined) this.#onEvent(field('event') ?? 'message', data);
  }
}
