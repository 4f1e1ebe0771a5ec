// Makes the checksums of the pages of a large file before it is opened, with turns for other work of the thread.
import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.js';
import { findSums, makeSums } from './page-sums.js';

/** Opening a smaller file makes its sums in less than a second. */
const largeBytes = 64 * 1024 * 1024;

/** The sums of a file of so many bytes are made now, or are there. */
export interface MakingSums {
  readonly file: string;
  readonly bytes: number;
  readonly isDone: boolean;
}

/**
 * Makes the sums of a large database if it has none that can be used. `openDatabase` makes those of a small one, and
 * those that the disk refuses now. No connection of this process may be open.
 */
export async function prepareSums(
  file: string,
  onMaking: (making: MakingSums) => void = () => {},
  fromBytes = largeBytes,
): Promise<void> {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  try {
    if (bytes < fromBytes || findSums(file).kind === 'usable') return;
    onMaking({ file, bytes, isDone: false });
    for (const _ of makeSums(file)) await nextTurn();
    onMaking({ file, bytes, isDone: true });
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
  }
}

/** Writes the lines before and after to the log. */
export function logMakingSums(logger: Logger, { file, bytes, isDone }: MakingSums): void {
  logger.info(
    { file, bytes },
    isDone
      ? 'the checksums of the pages are made'
      : 'the file has no checksums of its pages that can be used; it is read to make them before the start continues',
  );
}
