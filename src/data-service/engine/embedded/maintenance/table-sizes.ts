// Counts the pages of every table of a data file, in a thread that ends when it is done.
import { WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { dataFile } from '../file/open-for-reading.js';

/** The settings of the thread. */
export interface TableSizesJob {
  readonly path: string;
}

/** Bytes by `keyspace.table`. */
export type TableSizes = ReadonlyMap<string, number>;

/**
 * The bytes of tables with their indexes, by `keyspace.table`. Reads every page of the file once, so it may take long;
 * it delays neither the caller nor writers. Rejects with ThreadEnded when the file cannot be read, and when the signal
 * ended it: the thread has ended then.
 */
export function readTableSizes(dataDirectory: string, signal: AbortSignal): Promise<TableSizes> {
  const settings: TableSizesJob = { path: dataFile(dataDirectory) };
  const module = new URL('./table-sizes-thread.js', import.meta.url);
  const thread = new WorkerThread<never, TableSizes>({
    name: 'the thread that counts pages',
    module,
    settings,
  });
  const close = () => void thread.close();
  signal.addEventListener('abort', close);
  return new Promise<TableSizes>((resolve, reject) => {
    const onReply = (sizes: TableSizes) => {
      close();
      resolve(sizes);
    };
    thread.listen({ onReply, onEnd: reject });
  }).finally(() => signal.removeEventListener('abort', close));
}
