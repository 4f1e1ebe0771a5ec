// An archive in a directory, such as one of another disk or of a file server.
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { type ArchiveStore, type ListRange, StoreFailure, type WriteCondition } from './archive-store.js';

/** The end of the names of files that are being written. */
const unfinishedEnd = '.unfinished';

/**
 * Keeps objects as files. The calls are synchronous inside: use it on a thread that may wait for the disk. `random`
 * makes a part of a file name that no other process makes.
 */
export class DirectoryStore implements ArchiveStore {
  readonly title: string;
  readonly #random: () => string;
  /** Folders that were there: they are not created again if the disk of the archive goes away. */
  readonly #known = new Set<string>();

  constructor(directory: string, random: () => string) {
    this.title = directory;
    this.#random = random;
  }

  async list(
    prefix: string,
    { after = '', limit }: ListRange,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    return this.#doing('be listed', signal, () => {
      const found: string[] = [];
      this.#collect(prefix, { after, limit, found });
      return found;
    });
  }

  async folders(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    return this.#doing('be listed', signal, () =>
      this.#entries(prefix)
        .filter((name) => name.endsWith('/'))
        .map((name) => `${prefix}${name}`),
    );
  }

  async read(name: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.#doing('be read', signal, () => this.#read(name));
  }

  async write(
    name: string,
    bytes: Uint8Array,
    condition?: WriteCondition,
    signal?: AbortSignal,
  ): Promise<'written' | 'refused'> {
    return this.#doing('be written', signal, () => this.#write(name, bytes, condition));
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    await this.#doing('be changed', signal, () => {
      const path = join(this.title, name);
      rmSync(path, { force: true });
      this.#removeEmpty(dirname(path));
    });
  }

  close(): void {
    // It keeps nothing open.
  }

  /** The names below a folder in their order, from those of its folders and files. */
  #collect(
    folder: string,
    list: { readonly after: string; readonly limit: number; readonly found: string[] },
  ): void {
    const { after, limit, found } = list;
    for (const entry of this.#entries(folder)) {
      if (found.length >= limit) return;
      const name = `${folder}${entry}`;
      if (!entry.endsWith('/')) {
        if (name > after) found.push(name);
      } else if (name > after || after.startsWith(name)) this.#collect(name, list);
    }
  }

  /** The files of a folder and its folders, with a slash, in the order that their names have in a list. */
  #entries(folder: string): readonly string[] {
    try {
      return readdirSync(join(this.title, folder), { withFileTypes: true })
        .filter((entry) => !entry.name.endsWith(unfinishedEnd))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .sort((left, right) => (left < right ? -1 : 1)); // by UTF-16 units: the names are ASCII
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #read(name: string): Buffer | undefined {
    try {
      const path = join(this.title, name);
      const bytes = readRegularFile(path);
      for (let folder = dirname(path); !this.#known.has(folder) && folder.length >= this.title.length; ) {
        this.#known.add(folder);
        folder = dirname(folder);
      }
      return bytes;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #write(name: string, bytes: Uint8Array, condition: WriteCondition | undefined): 'written' | 'refused' {
    const path = join(this.title, name);
    const directory = dirname(path);
    this.#makeFolder(directory);
    const unfinished = `${path}.${this.#random()}${unfinishedEnd}`;
    try {
      const file = openSync(unfinished, 'wx', 0o600);
      try {
        writeFileSync(file, bytes);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      if (condition === undefined) renameSync(unfinished, path);
      else linkSync(unfinished, path); // fails if there is one, in contrast to a rename
    } catch (error) {
      if (condition !== 'ifAbsent' || codeOf(error) !== 'EEXIST') throw error;
      // The caller may find its own object there, from an attempt that could not make the name durable.
      syncDirectory(directory);
      return 'refused';
    } finally {
      rmSync(unfinished, { force: true });
    }
    syncDirectory(directory);
    return 'written';
  }

  /** Creates the folders of an object that are missing, each durably. */
  #makeFolder(directory: string): void {
    if (this.#known.has(directory)) return;
    if (!isDirectory(directory)) {
      const isRoot = directory === this.title;
      const parent = dirname(directory);
      if (!isRoot) this.#makeFolder(parent);
      try {
        // A folder that was there is not created again below the place of a disk that went away.
        mkdirSync(directory, { recursive: isRoot, mode: 0o700 });
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error; // another process was faster
      }
      syncDirectory(parent);
    }
    this.#known.add(directory);
  }

  /** Removes folders that became empty. Another process may have created a file in one meanwhile. */
  #removeEmpty(directory: string): void {
    for (let folder = directory; folder.length > this.title.length; folder = dirname(folder)) {
      try {
        rmdirSync(folder);
      } catch (error) {
        if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return;
        if (codeOf(error) !== 'ENOENT') throw error;
      }
      this.#known.delete(folder);
    }
  }

  async #doing<Result>(
    work: string,
    signal: AbortSignal | undefined,
    call: () => Result | Promise<Result>,
  ): Promise<Result> {
    try {
      signal?.throwIfAborted();
      return await call();
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const problem = error instanceof Error ? error.message : String(error);
      throw new StoreFailure(`the archive ${this.title} cannot ${work}: ${problem}`, true, { cause: error });
    }
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
