/** An event of a stream as its client sees it. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Server-sent events that arrive over a socket. Comments are counted, not kept. */
export class EventStream {
  readonly events: StreamEvent[] = [];
  comments = 0;
  isEnded = false;
  readonly #abort = new AbortController();
  #rest = '';

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream | Response> {
    const stream = new EventStream();
    const response = await fetch(url, { headers, signal: stream.#abort.signal });
    if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream'))
      return response;
    void stream.#read(response.body).finally(() => {
      stream.isEnded = true;
    });
    return stream;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of body) this.#take(decoder.decode(chunk, { stream: true }));
    } catch {
      // Closed by the test.
    }
  }

  #take(chunk: string): void {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => /^(\w*): (.*)$/.exec(line)?.slice(1) ?? []);
      const value = (name: string) => fields.find(([field]) => field === name)?.[1];
      const data = value('data');
      if (data === undefined) this.comments++;
      else this.events.push({ id: value('id'), event: value('event') ?? '', data: JSON.parse(data) });
    }
  }
}
