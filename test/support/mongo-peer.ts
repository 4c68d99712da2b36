/**
 * A peer for the MongoDB driver: it speaks the wire protocol (OP_MSG, and OP_QUERY for the first greeting) over a socket
 * and keeps documents in memory. It is no MongoDB: it knows the commands that the host sends and refuses all others.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { BSON, type Document, Long } from 'mongodb';
import { compareValues, fitsFilter, sorted } from './mongo-documents.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** Documents of one answer: few, so that longer lists come in several. */
const BATCH = 3;

const GREETING = {
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
};

export class MongoPeer {
  /** Commands of the driver in order, without greetings. */
  readonly commands: Document[] = [];
  readonly #collections = new Map<string, Document[]>();
  readonly #cursors = new Map<string, Document[]>();
  readonly #sockets = new Set<Socket>();
  readonly #greeting: Document;
  readonly #failures: Document[] = [];
  #server: Server | undefined;
  #port = 0;
  #cursor = 0;
  #isFrozen = false;

  private constructor(greeting: Document) {
    this.#greeting = greeting;
  }

  /** @param greeting what this server says of itself beside the usual. */
  static async open(greeting: Document = {}): Promise<MongoPeer> {
    const peer = new MongoPeer(greeting);
    await peer.start();
    return peer;
  }

  /** Listens, after a stop at the same port again and with the same documents. */
  async start(): Promise<void> {
    this.#server = createServer((socket) => this.#serve(socket));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = this.#server === undefined ? undefined : once(this.#server, 'close');
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }

  /** Answers nothing any more, greetings among it. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Answers the next command that is no greeting with this error. */
  failNext(error: { readonly code: number; readonly codeName: string; readonly errmsg: string }): void {
    this.#failures.push({ ok: 0, ...error });
  }

  get url(): string {
    return `mongodb://127.0.0.1:${this.#port}`;
  }

  urlFor(user: string, password: string): string {
    return `mongodb://${user}:${password}@127.0.0.1:${this.#port}`;
  }

  documents(database: string, collection: string): Document[] {
    const name = `${database}.${collection}`;
    const known = this.#collections.get(name) ?? [];
    this.#collections.set(name, known);
    return known;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const length = pending.readInt32LE(0);
        this.#take(socket, pending.subarray(0, length));
        pending = pending.subarray(length);
      }
    });
  }

  #take(socket: Socket, message: Buffer): void {
    if (this.#isFrozen) return;
    const [id, code] = [message.readInt32LE(4), message.readInt32LE(12)];
    if (code === OP_QUERY) socket.write(queryReply(id, this.#answer(queryOf(message))));
    else if (code === OP_MSG) socket.write(messageReply(id, this.#answer(commandOf(message))));
    else socket.destroy();
  }

  #answer(command: Document): Document {
    const [name = ''] = Object.keys(command);
    if (name.toLowerCase() === 'hello' || name.toLowerCase() === 'ismaster')
      return { ...GREETING, localTime: new Date(), ...this.#greeting, ok: 1 };
    this.commands.push(command);
    const failure = this.#failures.shift();
    if (failure !== undefined) return failure;
    try {
      const answer = this.#perform(name, command);
      return answer === undefined
        ? { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: name }
        : { ok: 1, ...answer };
    } catch (thrown: unknown) {
      return { ok: 0, code: 2, codeName: 'BadValue', errmsg: String(thrown) };
    }
  }

  #perform(name: string, command: Document): Document | undefined {
    switch (name) {
      case 'ping':
      case 'endSessions':
        return {};
      case 'buildInfo':
        return { version: '7.0.0' };
      case 'saslStart':
        return { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
      case 'insert':
        return this.#insert(this.#collectionOf(command, 'insert'), command.documents as Document[]);
      case 'update':
        return update(this.#collectionOf(command, 'update'), command.updates as Document[]);
      case 'delete':
        return this.#delete(this.#collectionOf(command, 'delete'), command.deletes as Document[]);
      case 'find':
        return this.#find(command);
      case 'aggregate':
        return this.#count(command);
      case 'getMore':
        return this.#more(command);
      case 'killCursors':
        for (const id of command.cursors as unknown[]) this.#cursors.delete(String(id));
        return {};
      default:
        return undefined;
    }
  }

  #collectionOf(command: Document, key: string): Document[] {
    return this.documents(String(command.$db), String(command[key]));
  }

  #insert(stored: Document[], documents: readonly Document[]): Document {
    const writeErrors: Document[] = [];
    for (const [index, document] of documents.entries()) {
      if (stored.some(({ _id }) => compareValues(_id, document._id) === 0)) {
        writeErrors.push({ index, code: 11000, errmsg: 'E11000 duplicate key error', keyValue: { _id: document._id } });
      } else stored.push(document);
    }
    const n = documents.length - writeErrors.length;
    return writeErrors.length === 0 ? { n } : { n, writeErrors };
  }

  #delete(stored: Document[], deletes: readonly Document[]): Document {
    let n = 0;
    for (const { q, limit } of deletes) {
      const doomed = stored.filter((document) => fitsFilter(document, q as Document)).slice(0, limit || stored.length);
      for (const document of doomed) stored.splice(stored.indexOf(document), 1);
      n += doomed.length;
    }
    return { n };
  }

  #find(command: Document): Document {
    const { filter = {}, sort = {}, skip = 0, limit = 0 } = command;
    const matching = this.#collectionOf(command, 'find').filter((document) => fitsFilter(document, filter as Document));
    const ordered = sorted(matching, sort as Document).slice(Number(skip));
    const found = Number(limit) === 0 ? ordered : ordered.slice(0, Number(limit));
    return this.#firstBatch(`${String(command.$db)}.${String(command.find)}`, found, command.singleBatch === true);
  }

  /** `countDocuments` of the driver: one `$match` and one `$group`. */
  #count(command: Document): Document {
    const [match, group] = command.pipeline as Document[];
    if (match?.$match === undefined || group?.$group === undefined) throw new Error('the peer counts only');
    const n = this.#collectionOf(command, 'aggregate').filter((document) => fitsFilter(document, match.$match)).length;
    const ns = `${String(command.$db)}.${String(command.aggregate)}`;
    return this.#firstBatch(ns, n === 0 ? [] : [{ _id: 1, n }], false);
  }

  #firstBatch(ns: string, documents: readonly Document[], isSingle: boolean): Document {
    const firstBatch = documents.slice(0, BATCH);
    const rest = isSingle ? [] : documents.slice(BATCH);
    if (rest.length === 0) return { cursor: { id: Long.ZERO, ns, firstBatch } };
    const id = Long.fromNumber(++this.#cursor);
    this.#cursors.set(String(id), [...rest]);
    return { cursor: { id, ns, firstBatch } };
  }

  #more(command: Document): Document {
    const id = String(command.getMore);
    const rest = this.#cursors.get(id);
    if (rest === undefined) return { ok: 0, code: 43, codeName: 'CursorNotFound', errmsg: 'cursor not found' };
    const nextBatch = rest.splice(0, BATCH);
    const isOver = rest.length === 0;
    if (isOver) this.#cursors.delete(id);
    const ns = `${String(command.$db)}.${String(command.collection)}`;
    return { cursor: { id: isOver ? Long.ZERO : Long.fromString(id), ns, nextBatch } };
  }

  /** Lists that the driver began and neither read to their end nor closed. */
  get openCursors(): number {
    return this.#cursors.size;
  }
}

function update(stored: readonly Document[], updates: readonly Document[]): Document {
  let [n, nModified] = [0, 0];
  for (const { q, u } of updates) {
    const document = stored.find((each) => fitsFilter(each, q as Document));
    if (document === undefined) continue;
    const before = BSON.serialize(document);
    const { $set, ...others } = u as Document;
    if (Object.keys(others).length > 0) throw new Error('the peer sets only');
    Object.assign(document, $set);
    n += 1;
    if (Buffer.compare(before, BSON.serialize(document)) !== 0) nModified += 1;
  }
  return { n, nModified };
}

/** The document of an OP_QUERY: behind flags, the collection's name, and two numbers. */
function queryOf(message: Buffer): Document {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  return BSON.deserialize(message.subarray(nameEnd + 1 + 8));
}

/** The command of an OP_MSG: its body, with the lists that stand in sections of their own. */
function commandOf(message: Buffer): Document {
  const command: Document = {};
  let position = HEADER_BYTES + 4;
  while (position < message.length) {
    const kind = message[position];
    const size = message.readInt32LE(position + 1);
    const section = message.subarray(position + 1, position + 1 + size);
    if (kind === 0) Object.assign(command, BSON.deserialize(section));
    else {
      const nameEnd = section.indexOf(0, 4);
      command[section.toString('utf8', 4, nameEnd)] = documentsOf(section.subarray(nameEnd + 1));
    }
    position += 1 + size;
  }
  return command;
}

function documentsOf(bytes: Buffer): Document[] {
  const documents: Document[] = [];
  for (let position = 0; position < bytes.length; ) {
    const size = bytes.readInt32LE(position);
    documents.push(BSON.deserialize(bytes.subarray(position, position + size)));
    position += size;
  }
  return documents;
}

function messageReply(to: number, answer: Document): Buffer {
  return framed(to, OP_MSG, Buffer.concat([Buffer.alloc(5), BSON.serialize(answer)]));
}

function queryReply(to: number, answer: Document): Buffer {
  const head = Buffer.alloc(20);
  // One document is returned.
  head.writeInt32LE(1, 16);
  return framed(to, OP_REPLY, Buffer.concat([head, BSON.serialize(answer)]));
}

function framed(to: number, code: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + body.length, 0);
  header.writeInt32LE(to, 8);
  header.writeInt32LE(code, 12);
  return Buffer.concat([header, body]);
}
