import type { Collection, Document, MongoClient } from 'mongodb';
import type { LocalText } from '../../core/date-text.ts';
import {
  CREATE_TIME_FIELD,
  documentBytes,
  ID_FIELD,
  MAX_DOCUMENT_LIST_BYTES,
  type StoredDocument,
} from '../../core/document.ts';
import type { DocumentPlace } from '../../core/document-name.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { DocumentQuery, DocumentStore } from '../../ports/documents.ts';
import { idsOf, readDocument, writeDocument } from './bson-json.ts';
import { fromMongoError } from './mongo-errors.ts';
import { mongoFilter } from './mongo-filter.ts';

/** Longest time of a read on the server. Milliseconds. */
const READ_MS = 10_000;

/** Confirmed by a majority and on disk: `Code: 1` means stored, whatever the connection string says. */
const CONFIRMED = { w: 'majority', journal: true, wtimeoutMS: 10_000 } as const;

/** Hears what became of each operation. */
export interface ServerWatch {
  answered(): void;
  /** @param error DOCUMENTS_UNAVAILABLE. */
  failed(error: AppError): void;
}

/** Documents of one tenant on its MongoDB. Each operation is by itself: there is no transaction with the tenant's database. */
export class MongoDocumentStore implements DocumentStore {
  readonly #client: MongoClient;
  readonly #localText: LocalText;
  readonly #watch: ServerWatch;

  constructor(client: MongoClient, localText: LocalText, watch: ServerWatch) {
    this.#client = client;
    this.#localText = localText;
    this.#watch = watch;
  }

  async insert(place: DocumentPlace, document: Parameters<DocumentStore['insert']>[1]): Promise<void> {
    await this.#asked(document.id, () => this.#in(place).insertOne(writeDocument(document, document.createdAt)));
  }

  async update(place: DocumentPlace, id: string, fields: JsonObject): Promise<void> {
    const { matchedCount, modifiedCount } = await this.#asked(id, () =>
      this.#in(place).updateOne(withId(id), { $set: { ...fields } }),
    );
    if (matchedCount === 0) throw new AppError('DOCUMENT_MISSING', { id });
    if (modifiedCount === 0) throw new AppError('DOCUMENT_UNCHANGED', { id });
  }

  async delete(place: DocumentPlace, id: string): Promise<void> {
    const { deletedCount } = await this.#asked(id, () => this.#in(place).deleteOne(withId(id)));
    if (deletedCount === 0) throw new AppError('DOCUMENT_MISSING', { id });
  }

  async find(place: DocumentPlace, id: string): Promise<StoredDocument | undefined> {
    const found = await this.#asked(id, () => this.#in(place).findOne(withId(id), { maxTimeMS: READ_MS }));
    return found === null ? undefined : readDocument(found, this.#localText);
  }

  async list(place: DocumentPlace, query: DocumentQuery): ReturnType<DocumentStore['list']> {
    return this.#asked('', async () => {
      const filter = mongoFilter(query.where);
      const total = await this.#in(place).countDocuments(filter, { maxTimeMS: READ_MS });
      const documents = query.offset >= total ? [] : await this.#page(place, filter, query);
      return { documents, total };
    });
  }

  async #page(
    place: DocumentPlace,
    filter: Document,
    { offset, limit, signal }: DocumentQuery,
  ): Promise<readonly StoredDocument[]> {
    const cursor = this.#in(place)
      .find(filter, { maxTimeMS: READ_MS, allowDiskUse: true })
      .sort({ [CREATE_TIME_FIELD]: -1, [ID_FIELD]: -1 })
      .skip(offset)
      .limit(limit);
    const documents: StoredDocument[] = [];
    let size = 0;
    for await (const found of cursor) {
      // Leaving the loop closes the cursor.
      signal.throwIfAborted();
      const document = readDocument(found, this.#localText);
      size += documentBytes(document.fields);
      if (size > MAX_DOCUMENT_LIST_BYTES) {
        throw new AppError('V8_RESULT_TOO_LARGE', { what: 'reply', size, limit: MAX_DOCUMENT_LIST_BYTES });
      }
      documents.push(document);
    }
    return documents;
  }

  #in({ database, collection }: DocumentPlace): Collection {
    return this.#client.db(database).collection(collection, { writeConcern: CONFIRMED });
  }

  async #asked<T>(id: string, operation: () => Promise<T>): Promise<T> {
    try {
      // A client whose first connection failed stays closed for ever unless it is told to connect; else this does nothing.
      await this.#client.connect();
      const answer = await operation();
      this.#watch.answered();
      return answer;
    } catch (thrown: unknown) {
      const error = fromMongoError(thrown, id);
      if (error.code === 'DOCUMENTS_UNAVAILABLE') this.#watch.failed(error);
      throw error;
    }
  }
}

function withId(id: string): Document {
  return { [ID_FIELD]: { $in: idsOf(id) } };
}
