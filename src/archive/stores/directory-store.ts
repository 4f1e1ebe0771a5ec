// An archive in a directory, such as one of another disk or of a file server.
import { type FileHandle, link, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NotRegularFile, readFlags } from '../../foundation/machine/regular-file.js';
import { leaseFolder } from '../format/names.js';
import { type ArchiveStore, type ListRange, mostObjectBytes, StoreFailure } from './archive-store.js';
import { BoundedCalls, NoAnswer, type Wanted } from './bounded-calls.js';

/** The end of the names of files that are being written. */
const unfinishedEnd = '.unfinished';

/** Keeps objects as files. `random` makes a part of a file name that no other process makes. */
export class DirectoryStore implements ArchiveStore {
  readonly title: string;
  readonly #random: () => string;
  readonly #calls: BoundedCalls;
  /** The lease is renewed also while other calls hang. */
  readonly #leaseCalls: BoundedCalls;
  /** Folders that were there: they are not created again if the disk of the archive goes away. */
  readonly #known = new Set<string>();

  /** `limitMs`: after so long a call is given up whose file system does not answer. */
  constructor(directory: string, random: () => string, limitMs?: number) {
    this.title = directory;
    this.#random = random;
    this.#calls = new BoundedCalls(2, limitMs);
    this.#leaseCalls = new BoundedCalls(1, limitMs);
  }

  get hangs(): boolean {
    return this.#calls.hangs || this.#leaseCalls.hangs;
  }

  async list(
    prefix: string,
    { after = '', limit }: ListRange,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    return this.#doing('be listed', prefix, signal, async () => {
      const found: string[] = [];
      await this.#collect(prefix, { after, limit, found });
      return found;
    });
  }

  async folders(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    const entries = await this.#doing('be listed', prefix, signal, () => this.#entries(prefix));
    return entries.filter((name) => name.endsWith('/')).map((name) => `${prefix}${name}`);
  }

  async read(name: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.#doing('be read', name, signal, () => this.#read(name));
  }

  async write(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<'written' | 'refused'> {
    return this.#doing('be written', name, signal, (wanted) => this.#write(name, bytes, wanted));
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    await this.#doing('be changed', name, signal, async (wanted) => {
      const path = join(this.title, name);
      await rm(path, { force: true });
      await this.#removeEmpty(dirname(path), wanted);
    });
  }

  close(): void {
    // It keeps nothing open.
  }

  /** The names below a folder in their order, from those of its folders and files. */
  async #collect(
    folder: string,
    list: { readonly after: string; readonly limit: number; readonly found: string[] },
  ): Promise<void> {
    const { after, limit, found } = list;
    for (const entry of await this.#entries(folder)) {
      if (found.length >= limit) return;
      const name = `${folder}${entry}`;
      if (!entry.endsWith('/')) {
        if (name > after) found.push(name);
      } else if (name > after || after.startsWith(name)) await this.#collect(name, list);
    }
  }

  /** The files of a folder and its folders, with a slash, in the order that their names have in a list. */
  async #entries(folder: string): Promise<readonly string[]> {
    try {
      return (await readdir(join(this.title, folder), { withFileTypes: true }))
        .filter((entry) => !entry.name.endsWith(unfinishedEnd))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .sort((left, right) => (left < right ? -1 : 1)); // by UTF-16 units: the names are ASCII
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #read(name: string): Promise<Buffer | undefined> {
    try {
      const path = join(this.title, name);
      const bytes = await readObjectFile(path);
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

  async #write(name: string, bytes: Uint8Array, wanted: Wanted): Promise<'written' | 'refused'> {
    const path = join(this.title, name);
    const directory = dirname(path);
    await this.#makeFolder(directory, wanted);
    const unfinished = `${path}.${this.#random()}${unfinishedEnd}`;
    try {
      await writeDurably(unfinished, bytes);
      wanted.expectWanted(); // the caller may have written another object of this name meanwhile
      await link(unfinished, path); // fails if there is one, in contrast to a rename
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      // The caller may find its own object there, from an attempt that could not make the name durable.
      await syncDirectory(directory);
      return 'refused';
    } finally {
      await rm(unfinished, { force: true });
    }
    await syncDirectory(directory);
    return 'written';
  }

  /** Creates the folders of an object that are missing, each durably. */
  async #makeFolder(directory: string, wanted: Wanted): Promise<void> {
    if (this.#known.has(directory)) return;
    if (!(await isDirectory(directory))) {
      const isRoot = directory === this.title;
      const parent = dirname(directory);
      if (!isRoot) await this.#makeFolder(parent, wanted);
      wanted.expectWanted();
      try {
        // A folder that was there is not created again below the place of a disk that went away.
        await mkdir(directory, { recursive: isRoot, mode: 0o700 });
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error; // another process was faster
      }
      await syncDirectory(parent);
    }
    this.#known.add(directory);
  }

  /** Removes folders that became empty. Another process may have created a file in one meanwhile. */
  async #removeEmpty(directory: string, wanted: Wanted): Promise<void> {
    for (let folder = directory; folder.length > this.title.length; folder = dirname(folder)) {
      wanted.expectWanted();
      if (!(await isEmptied(folder))) {
        wanted.expectWanted();
        if (!(await hasOnlyLeft(folder)) || !(await isEmptied(folder))) return;
      }
      this.#known.delete(folder);
    }
  }

  /** @throws StoreFailure if the archive is a file, what the call throws */
  async #inDirectory<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      if (codeOf(error) !== 'ENOTDIR' || !(await isFile(this.title))) throw error;
      const problem = `the archive ${this.title} is a file: give the address of a directory`;
      throw new StoreFailure(problem, true, { cause: error });
    }
  }

  async #doing<Result>(
    work: string,
    name: string,
    signal: AbortSignal | undefined,
    call: (wanted: Wanted) => Promise<Result>,
  ): Promise<Result> {
    try {
      const calls = name.startsWith(leaseFolder) ? this.#leaseCalls : this.#calls;
      return await calls.run((wanted) => this.#inDirectory(call(wanted)), signal);
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      if (error instanceof NoAnswer) {
        const problem = isCancelled(signal) ? 'is not waited for any more' : 'does not answer';
        throw new StoreFailure(`the archive ${this.title} ${problem}`, true, { cause: error });
      }
      const problem = error instanceof Error ? error.message : String(error);
      throw new StoreFailure(`the archive ${this.title} cannot ${work}: ${problem}`, true, { cause: error });
    }
  }
}

/** Whether a call was given up for another reason than its time. */
function isCancelled(signal: AbortSignal | undefined): boolean {
  return (
    signal?.aborted === true && !(signal.reason instanceof Error && signal.reason.name === 'TimeoutError')
  );
}

/** Removes a folder; false if it has files. */
async function isEmptied(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return true;
}

/**
 * Removes what killed processes did not finish, if a folder has nothing else; returns whether that is so. A process
 * that writes there at this moment fails, and tries again.
 */
async function hasOnlyLeft(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  if (!names.every((name) => name.endsWith(unfinishedEnd))) return false;
  for (const name of names) await rm(join(folder, name), { force: true });
  return true;
}

/** Creates a file. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The content of a regular file. Of one that is larger than any object, a part shows that it is none. */
async function readObjectFile(path: string): Promise<Buffer> {
  const file = await open(path, readFlags);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new NotRegularFile(path, found);
    return await readWhole(file, Math.min(found.size, mostObjectBytes + 1));
  } finally {
    await file.close();
  }
}

async function readWhole(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // the caller has another error to report
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
