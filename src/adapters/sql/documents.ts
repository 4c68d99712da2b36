import { documentBytes, MAX_DOCUMENT_LIST_BYTES, type StoredDocument, updateFields } from '../../core/document.ts';
import { documentMatcher } from '../../core/document-match.ts';
import type { DocumentPlace } from '../../core/document-name.ts';
import { AppError, orThrow } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { DocumentQuery, DocumentStore } from '../../ports/documents.ts';
import type { SystemDb } from './system-tables.ts';

/** Where a document store's statements go: one transaction, or a reader and writes that commit by themselves. */
export interface DocumentTarget {
  read<T>(work: (db: SystemDb) => Promise<T>): Promise<T>;
  write<T>(work: (db: SystemDb) => Promise<T>): Promise<T>;
}

/** A document without its fields: a collection is walked by these. */
interface Head {
  readonly Id: string;
  readonly CreatedAt: number;
  readonly Size: number;
}

/** Heads of one statement, and the most text whose fields are read by one. */
const HEADS = 500;
const PORTION_BYTES = 4 * 1024 * 1024;
const PORTION_DOCUMENTS = 200;

/** Documents that one filtered list compares. JSON in a column has no index; beyond this a MongoDB is the right place. */
const MAX_SCANNED = 100_000;

/** `v8host_document`: the documents of a tenant that has no MongoDB, in its own database. */
export class SqlDocumentStore implements DocumentStore {
  readonly #target: DocumentTarget;
  readonly #maxScanned: number;

  /** @param maxScanned documents that one filtered list compares at most. */
  constructor(target: DocumentTarget, maxScanned = MAX_SCANNED) {
    this.#target = target;
    this.#maxScanned = maxScanned;
  }

  async insert(place: DocumentPlace, { id, createdAt, fields }: Parameters<DocumentStore['insert']>[1]): Promise<void> {
    const row = {
      ...keyOf(place, id),
      CreatedAt: createdAt,
      Size: documentBytes(fields),
      Revision: 1,
      Body: JSON.stringify(fields),
    };
    try {
      await this.#target.write((db) => db.insertInto('v8host_document').values(row).execute());
    } catch (error: unknown) {
      throw error instanceof AppError && error.code === 'ROW_NOT_UNIQUE'
        ? new AppError('DOCUMENT_EXISTS', { id })
        : error;
    }
  }

  async update(place: DocumentPlace, id: string, fields: JsonObject): Promise<void> {
    await this.#target.write(async (db) => {
      // Takes the row, so that two updates of different fields both stay.
      const taken = await db
        .updateTable('v8host_document')
        .set((eb) => ({ Revision: eb('Revision', '+', 1) }))
        .where((eb) => eb.and(keyOf(place, id)))
        .executeTakeFirst();
      const [old] = Number(taken.numUpdatedRows) === 0 ? [] : await readDocuments(db, place, [id]);
      if (old === undefined) throw new AppError('DOCUMENT_MISSING', { id });
      const changed = orThrow(updateFields(old.fields, fields));
      if (changed === undefined) throw new AppError('DOCUMENT_UNCHANGED', { id });
      await db
        .updateTable('v8host_document')
        .set({ Body: JSON.stringify(changed), Size: documentBytes(changed) })
        .where((eb) => eb.and(keyOf(place, id)))
        .execute();
    });
  }

  async delete(place: DocumentPlace, id: string): Promise<void> {
    const result = await this.#target.write((db) =>
      db
        .deleteFrom('v8host_document')
        .where((eb) => eb.and(keyOf(place, id)))
        .executeTakeFirst(),
    );
    if (Number(result.numDeletedRows) === 0) throw new AppError('DOCUMENT_MISSING', { id });
  }

  async find(place: DocumentPlace, id: string): Promise<StoredDocument | undefined> {
    return (await this.#target.read((db) => readDocuments(db, place, [id])))[0];
  }

  list(place: DocumentPlace, query: DocumentQuery): ReturnType<DocumentStore['list']> {
    return query.where.length === 0 ? this.#listAll(place, query) : this.#listMatching(place, query);
  }

  async #listAll(place: DocumentPlace, { offset, limit, signal }: DocumentQuery): ReturnType<DocumentStore['list']> {
    const total = await this.#target.read((db) => countDocuments(db, place));
    const documents = new BoundedList();
    for await (const portion of this.#walk(place, { signal, offset, limit })) {
      for (const document of portion) documents.add(document);
    }
    return { documents: documents.all, total };
  }

  async #listMatching(place: DocumentPlace, query: DocumentQuery): ReturnType<DocumentStore['list']> {
    const matches = documentMatcher(query.where);
    const documents = new BoundedList();
    let [total, scanned] = [0, 0];
    for await (const portion of this.#walk(place, { signal: query.signal })) {
      scanned += portion.length;
      if (scanned > this.#maxScanned) {
        throw new AppError('DOCUMENTS_SCAN_LIMIT', { collection: place.collection, limit: this.#maxScanned });
      }
      for (const document of portion.filter(matches)) {
        total += 1;
        if (total > query.offset && total <= query.offset + query.limit) documents.add(document);
      }
    }
    return { documents: documents.all, total };
  }

  /** Newest first, in portions that fit into memory whatever the documents hold. */
  async *#walk(
    place: DocumentPlace,
    { signal, offset = 0, limit = Number.POSITIVE_INFINITY }: Pick<DocumentQuery, 'signal'> & Partial<DocumentQuery>,
  ): AsyncGenerator<readonly StoredDocument[]> {
    let last: Head | undefined;
    for (let left = limit; left > 0; ) {
      const first = last === undefined ? offset : 0;
      const heads = await this.#target.read((db) => readHeads(db, place, last, first, Math.min(left, HEADS)));
      for (const ids of portionsOf(heads)) {
        // What waits for the answer may be gone.
        signal.throwIfAborted();
        yield await this.#target.read((db) => readDocuments(db, place, ids));
      }
      if (heads.length < Math.min(left, HEADS)) return;
      left -= heads.length;
      last = heads.at(-1);
    }
  }
}

/** Documents of one answer. */
class BoundedList {
  readonly all: StoredDocument[] = [];
  #size = 0;

  /** @throws AppError V8_RESULT_TOO_LARGE. */
  add(document: StoredDocument): void {
    this.#size += documentBytes(document.fields);
    const limit = MAX_DOCUMENT_LIST_BYTES;
    if (this.#size > limit) throw new AppError('V8_RESULT_TOO_LARGE', { what: 'reply', size: this.#size, limit });
    this.all.push(document);
  }
}

function keyOf({ database, collection }: DocumentPlace, id: string) {
  return { Db: database, Collection: collection, Id: id };
}

async function countDocuments(db: SystemDb, { database, collection }: DocumentPlace): Promise<number> {
  const row = await db
    .selectFrom('v8host_document')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('Db', '=', database)
    .where('Collection', '=', collection)
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

async function readHeads(
  db: SystemDb,
  { database, collection }: DocumentPlace,
  after: Head | undefined,
  offset: number,
  limit: number,
): Promise<readonly Head[]> {
  let select = db
    .selectFrom('v8host_document')
    .select(['Id', 'CreatedAt', 'Size'])
    .where('Db', '=', database)
    .where('Collection', '=', collection);
  if (after !== undefined) {
    const { CreatedAt, Id } = after;
    select = select.where((eb) =>
      eb.or([eb('CreatedAt', '<', CreatedAt), eb.and([eb('CreatedAt', '=', CreatedAt), eb('Id', '<', Id)])]),
    );
  }
  const rows = await select.orderBy('CreatedAt', 'desc').orderBy('Id', 'desc').limit(limit).offset(offset).execute();
  return rows.map((row) => ({ Id: row.Id, CreatedAt: Number(row.CreatedAt), Size: Number(row.Size) }));
}

function portionsOf(heads: readonly Head[]): readonly (readonly string[])[] {
  const portions: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const head of heads) {
    const isFull = size + head.Size > PORTION_BYTES || (portions.at(-1)?.length ?? 0) >= PORTION_DOCUMENTS;
    if (isFull) {
      portions.push([]);
      size = 0;
    }
    portions.at(-1)?.push(head.Id);
    size += head.Size;
  }
  return portions;
}

/** In the order of the ids; without those that are gone meanwhile. */
async function readDocuments(
  db: SystemDb,
  { database, collection }: DocumentPlace,
  ids: readonly string[],
): Promise<readonly StoredDocument[]> {
  const rows = await db
    .selectFrom('v8host_document')
    .select(['Id', 'CreatedAt', 'Body'])
    .where('Db', '=', database)
    .where('Collection', '=', collection)
    .where('Id', 'in', [...ids])
    .execute();
  const byId = new Map(
    rows.map(({ Id, CreatedAt, Body }) => [
      Id,
      { id: Id, createdAt: Number(CreatedAt), fields: JSON.parse(Body) as JsonObject } satisfies StoredDocument,
    ]),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}
