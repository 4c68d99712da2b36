/**
 * Documents of a tenant (v8-surface.md 6.4): in MongoDB where its connection is configured, else in its own database.
 * Names and fields are checked (core/document-name.ts, core/document.ts), conditions come from core/document-where.ts.
 */
import type { StoredDocument } from '../core/document.ts';
import type { DocumentPlace } from '../core/document-name.ts';
import type { DocumentNode } from '../core/document-where.ts';
import type { JsonObject } from '../core/json.ts';

/** A list: newest first by the time of the insert, then by id. */
export interface DocumentQuery {
  /** Empty: every document. */
  readonly where: readonly DocumentNode[];
  readonly offset: number;
  readonly limit: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Errors: those of the store's database, or DOCUMENTS_UNAVAILABLE and DOCUMENTS_REFUSED of a MongoDB. */
export interface DocumentStore {
  /** Stores a new document; its database and collection need not be there. @throws AppError DOCUMENT_EXISTS. */
  insert(place: DocumentPlace, document: StoredDocument & { readonly createdAt: number }): Promise<void>;
  /**
   * Sets these fields and leaves the others, in one step.
   * @throws AppError DOCUMENT_MISSING, DOCUMENT_UNCHANGED (nothing differs), DOCUMENT_TOO_LARGE.
   */
  update(place: DocumentPlace, id: string, fields: JsonObject): Promise<void>;
  /** @throws AppError DOCUMENT_MISSING. */
  delete(place: DocumentPlace, id: string): Promise<void>;
  find(place: DocumentPlace, id: string): Promise<StoredDocument | undefined>;
  /**
   * @returns the documents of the page, and how many match.
   * @throws AppError V8_RESULT_TOO_LARGE, DOCUMENTS_SCAN_LIMIT.
   */
  list(
    place: DocumentPlace,
    query: DocumentQuery,
  ): Promise<{ readonly documents: readonly StoredDocument[]; readonly total: number }>;
}

/** The MongoDB servers of the tenants. */
export interface DocumentServers {
  /**
   * The tenant's own; undefined when its documents are in its database. A changed connection string counts within
   * seconds. @throws AppError DOCUMENTS_URL_INVALID, DOCUMENTS_ACCOUNT_SHARED.
   */
  of(tenant: string): Promise<DocumentStore | undefined>;
  close(): Promise<void>;
}
