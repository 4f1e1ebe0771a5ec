// Keeps what a stream sends in a temporary file, because an import reads its source more than once.
import { closeSync, mkdtempSync, openSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Interrupted } from '../../port-problems.js';
import { sizeText } from '../../result-output.js';
import { RowFileProblem } from '../row-file.js';

const writeSome = promisify(write);

/** A stream to keep. */
export interface KeptStream {
  readonly stream: Readable;
  /** The source in messages. */
  readonly name: string;
  readonly interrupted: AbortSignal;
  /** Gets the number of bytes so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * An open file with all that the stream sent. Its name is removed at once, so that nothing of it remains however the
 * process ends; where the system cannot do that, `remove` does.
 * @throws RowFileProblem if the disk has no room; Interrupted
 */
export async function keepStream(kept: KeptStream): Promise<{ file: number; remove: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-import-'));
  const remove = () => removeIfPossible(directory);
  const file = openSync(join(directory, 'source'), 'wx+', 0o600);
  remove();
  try {
    await copy(kept, file);
    return { file, remove };
  } catch (error) {
    closeSync(file);
    remove();
    throw error;
  }
}

async function copy({ stream, name, interrupted, onBytes }: KeptStream, file: number): Promise<void> {
  const stop = () => stream.destroy(new Interrupted('interrupted'));
  if (interrupted.aborted) stop();
  interrupted.addEventListener('abort', stop, { once: true });
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      for (let at = 0; at < chunk.length; ) at += (await writeSome(file, chunk.subarray(at))).bytesWritten;
      bytes += chunk.length;
      onBytes(bytes);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isFull.has(error.code))) throw error;
    throw new RowFileProblem(
      `${name} sends more than there is room for in ${tmpdir()}, where ${sizeText(bytes)} of it were kept: ` +
        'set TMPDIR to a directory with more room, or save it to a file and import that',
      { cause: error },
    );
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
}

const isFull: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function removeIfPossible(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // Windows does not remove open files; the next call comes when it is closed.
  }
}
