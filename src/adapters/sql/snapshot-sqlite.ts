import { backup, DatabaseSync } from 'node:sqlite';

/** Pages copied between two turns of the event loop. */
const PAGES_PER_STEP = 256;

/**
 * Copies SQLite files as they are at one instant. All their writers live in this thread, and the snapshots begin in
 * one turn of it: together the copies are what a crash at that instant would leave, which the host recovers from as
 * from any other. A copy taken file by file could hold a message as sent and not as received, or the other way round.
 * @param copies paths of a file and of its copy, which must not exist. @param onCopied told how many are done.
 */
export async function copySnapshots(
  copies: readonly (readonly [file: string, copy: string])[],
  onCopied: (done: number) => void = () => {},
): Promise<void> {
  const opened: { readonly db: DatabaseSync; readonly copy: string }[] = [];
  try {
    for (const [file, copy] of copies) opened.push({ db: new DatabaseSync(file, { readOnly: true }), copy });
    // BEGIN alone takes no snapshot: the first read does.
    for (const { db } of opened) db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    for (const [index, { db, copy }] of opened.entries()) {
      await backup(db, copy, { rate: PAGES_PER_STEP });
      // A snapshot keeps the log from being merged.
      db.close();
      onCopied(index + 1);
    }
  } finally {
    for (const { db } of opened) if (db.isOpen) db.close();
  }
}
