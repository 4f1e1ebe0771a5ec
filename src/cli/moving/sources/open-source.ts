// Opens what an import of a file reads: a file, a pipe or standard input; compressed or not.
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { checkedContent, compressionOf } from '../../../files/checked-content.js';
import { kindBytes } from '../../../files/content-kind.js';
import { kindOf, NotRegularFile, readFlags } from '../../../foundation/machine/regular-file.js';
import { Interrupted } from '../../port-problems.js';
import { sizeText } from '../../result-output.js';
import type { MoveReport } from '../move-report.js';
import { RowFileProblem } from '../row-file.js';
import { decompressed, plainBytes } from './decompress.js';
import { keepStream } from './keep-stream.js';
import { isStandardInput } from './source-names.js';

/** What can be read as often as it is needed. */
export interface OpenSource {
  /** In messages. */
  readonly name: string;
  /** The content without its compression, from the beginning. @throws RowFileProblem, FileProblem, Interrupted */
  chunks(): AsyncGenerator<Uint8Array>;
  close(): void;
}

/** What opening needs from the process. */
export interface SourceSurroundings {
  /** Standard input, which is read only if the source is that. */
  readonly input: () => Readable;
  readonly interrupted: AbortSignal;
  readonly report: Pick<MoveReport, 'progress'>;
}

/**
 * Opens a source. What is not a file is read to its end first, and kept in a temporary file.
 * @throws RowFileProblem, FileProblem, NotRegularFile, Interrupted, errors of the file system
 */
export async function openSource(path: string, surroundings: SourceSurroundings): Promise<OpenSource> {
  const { interrupted } = surroundings;
  const name = isStandardInput(path) ? 'standard input' : path;
  const { file, close } = await openKept(path, name, surroundings);
  try {
    const compression = compressionOf(beginningOf(file), name);
    return {
      name,
      chunks: () =>
        watched(
          compression === undefined
            ? plainBytes(file)
            : checkedContent(decompressed(file, compression, name), name, compression),
          interrupted,
        ),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function openKept(
  path: string,
  name: string,
  { input, interrupted, report }: SourceSurroundings,
): Promise<{ file: number; close: () => void }> {
  const isInput = isStandardInput(path);
  const file = isInput ? 0 : openPath(path);
  const found = fstatSync(file);
  if (found.isFile()) return { file, close: () => (isInput ? undefined : closeSync(file)) };
  if (!isStream(found, isInput && isatty(0))) {
    if (!isInput) closeSync(file);
    throw isInput
      ? new RowFileProblem(
          `standard input is ${kindOf(found)} and has no rows: give a file, or send rows by a pipe`,
        )
      : new NotRegularFile(path, found);
  }
  const stream = isInput ? input() : new Socket({ fd: file, readable: true, writable: false });
  const onBytes = (bytes: number) => report.progress(`${name}: ${sizeText(bytes)} read`, undefined);
  const kept = await keepStream({ stream, name, interrupted, onBytes });
  return {
    file: kept.file,
    close: () => {
      closeSync(kept.file);
      kept.remove();
    },
  };
}

function openPath(path: string): number {
  try {
    return openSync(path, readFlags);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new RowFileProblem(`there is no file ${path}`, { cause: error });
    throw error;
  }
}

/** Devices other than the terminal of the user may never end. */
function isStream(found: Stats, isTerminal: boolean): boolean {
  return found.isFIFO() || found.isSocket() || isTerminal;
}

function beginningOf(file: number): Uint8Array {
  const beginning = Buffer.alloc(kindBytes);
  let bytes = 0;
  for (let read = -1; read !== 0 && bytes < kindBytes; bytes += read)
    read = readSync(file, beginning, bytes, kindBytes - bytes, bytes);
  return beginning.subarray(0, bytes);
}

async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  interrupted: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    if (interrupted.aborted) throw new Interrupted('interrupted');
    yield chunk;
  }
}
