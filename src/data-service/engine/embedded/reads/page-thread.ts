// The page thread: reads pages at the same time as the main thread, on a connection of its own.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { serveThread } from '../../../../foundation/threads/serve-thread.js';
import { openForReading } from '../file/open-for-reading.js';
import { packReadError } from '../file/storage-failure.js';
import type { PageReply, PageRequest, PageResult, PageSettings } from './page-messages.js';
import { readPage, type WrittenPage } from './written-page.js';

/** Enough for the upper pages of indexes. Four times as much did not make pages of a large table faster. */
const cacheSizeBytes = 8 * 1024 * 1024;

serveThread<PageSettings, PageRequest, PageReply>(({ path }, owner) => {
  const database = openForReading(path, cacheSizeBytes);
  return {
    receive: (pages) => owner.post(readPages(database, pages)),
    close: () => database.close(),
  };
});

function readPages(database: Database, pages: readonly WrittenPage[]): PageReply {
  try {
    database.exec('BEGIN');
    return pages.map((page) => pageResult(database, page));
  } catch (error) {
    const failure = packReadError(error);
    return pages.map(() => ({ failure }));
  } finally {
    database.endReading();
  }
}

function pageResult(database: Database, page: WrittenPage): PageResult {
  try {
    return { found: readPage(database, page) };
  } catch (error) {
    return { failure: packReadError(error) };
  }
}
