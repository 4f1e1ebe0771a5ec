// Ships the small files of a data directory when one of them has changed.
import { statSync } from 'node:fs';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { filesName } from '../format/names.js';
import { sha256Of } from '../format/sealed-object.js';
import { encodeFiles } from '../format/small-files.js';
import type { ArchiveStore } from '../stores/archive-store.js';

/** A small file: its name in the data directory, and its path. */
export interface ShippedFile {
  readonly name: string;
  readonly path: string;
}

/** How often the small files are compared. */
const restMs = 2_000;

/** Ships the small files to one generation. */
export class FilesShipper {
  readonly #files: readonly ShippedFile[];
  readonly #generation: string;
  readonly #parts: { readonly store: ArchiveStore; readonly clock: Clock };
  #shipped: { readonly marks: string; readonly sha256: string } | undefined;
  #atMs = Number.NEGATIVE_INFINITY;

  constructor(
    files: readonly ShippedFile[],
    generation: string,
    parts: { readonly store: ArchiveStore; readonly clock: Clock },
  ) {
    this.#files = files;
    this.#generation = generation;
    this.#parts = parts;
  }

  /** Ships the files if it is time to look and one has changed. @throws StoreFailure, errors of the file system */
  async ship(signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#parts;
    if (clock.monotonicMs() - this.#atMs < restMs) return;
    this.#atMs = clock.monotonicMs();
    const present = this.#files.flatMap(({ name, path }) => {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return found === undefined
        ? []
        : [{ name, path, mark: `${name} ${found.mtimeNs} ${found.size} ${found.ino}` }];
    });
    const marks = present.map(({ mark }) => mark).join('\n');
    if (marks === this.#shipped?.marks) return;
    const bytes = encodeFiles(present.map(({ name, path }) => ({ name, content: readRegularFile(path) })));
    const sha256 = sha256Of(bytes);
    if (sha256 !== this.#shipped?.sha256) {
      const name = filesName(this.#generation, clock.nowMs());
      if ((await store.write(name, bytes, signal)) === 'refused') return; // the next turn has another time
    }
    this.#shipped = { marks, sha256 };
  }
}
