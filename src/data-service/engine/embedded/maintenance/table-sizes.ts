// Counts the pages of every table of a data file, in a thread that ends when it is done.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What the thread is started with. */
export interface TableSizesJob {
  readonly path: string;
}

/** What it gives: bytes by `keyspace.table`. */
export type TableSizes = ReadonlyMap<string, number>;

/**
 * Bytes of tables with their indexes, by `keyspace.table`. Every page of the file is looked at once, so this may take
 * long; it holds up neither the caller nor writers. @throws Error when the file cannot be read
 */
export function readTableSizes(dataDirectory: string): Promise<TableSizes> {
  const job: TableSizesJob = { path: join(dataDirectory, 'data.db') };
  const worker = new Worker(new URL('./table-sizes-thread.js', import.meta.url), { workerData: job });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread that counts pages ended with code ${code}`)));
  });
}
