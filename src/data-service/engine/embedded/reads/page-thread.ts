// The page thread: reads pages beside the main thread, on a connection of its own.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { openForReading } from '../file/open-for-reading.js';
import { packFailure } from '../file/thread-failure.js';
import type { PageReply, PageRequest, PageResult, PageSettings } from './page-messages.js';
import { readPage, type WrittenPage } from './written-page.js';

/** The upper pages of indexes. Four times as much made pages of a large table no faster. */
const cacheSizeBytes = 8 * 1024 * 1024;

function servePages(port: MessagePort, { path }: PageSettings): void {
  const database = openForReading(path, cacheSizeBytes);
  port.on('message', (request: PageRequest) => {
    if (request === 'close') {
      database.close();
      port.close(); // the thread ends by itself, see the writer thread
      return;
    }
    port.postMessage(readPages(database, request));
  });
  port.postMessage('ready');
}

function readPages(database: Database, pages: readonly WrittenPage[]): PageReply {
  try {
    database.exec('BEGIN');
    return pages.map((page) => pageResult(database, page));
  } catch (error) {
    const failure = packFailure(error);
    return pages.map(() => ({ failure }));
  } finally {
    database.endReading();
  }
}

function pageResult(database: Database, page: WrittenPage): PageResult {
  try {
    return { found: readPage(database, page) };
  } catch (error) {
    return { failure: packFailure(error) };
  }
}

// The data is set by the thread's only maker.
if (parentPort !== null) servePages(parentPort, workerData as PageSettings);
