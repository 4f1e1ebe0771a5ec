// Where the objects of an archive are kept: a directory or an object store, behind one interface.

/** The name after which a list begins, and how long it may be. */
export interface ListRange {
  /** Only names after this one, in the order of their bytes. */
  readonly after?: string | undefined;
  /** At most so many names, up to 1,000. */
  readonly limit: number;
}

/**
 * Keeps objects by names such as `generations/x/y.piece`: letters, digits, `-`, `_`, `.`, and `/` between folders. All
 * calls reject with a StoreFailure; each ends after a bounded time, and repeats by itself what can succeed later.
 */
export interface ArchiveStore {
  /** For messages: the directory, or `s3://bucket/prefix`. */
  readonly title: string;
  /** Whether a call of the system does not return: the process cannot end as usual then. */
  readonly hangs: boolean;
  /** The names that begin with `prefix`, which ends with `/` or is empty, in the order of their bytes. */
  list(prefix: string, range: ListRange, signal?: AbortSignal): Promise<readonly string[]>;
  /** The folders directly below `prefix`, each with its whole name and a slash at its end, in the same order. */
  folders(prefix: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** The whole content; undefined if there is no such object. */
  read(name: string, signal?: AbortSignal): Promise<Buffer | undefined>;
  /**
   * Writes a whole object, which is durable when the call resolves; nobody ever sees a part of it. `refused`: there is
   * an object of this name, and nothing was written.
   */
  write(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<'written' | 'refused'>;
  /** Removes an object; does nothing if there is none. */
  remove(name: string, signal?: AbortSignal): Promise<void>;
  /** Ends kept connections. */
  close(): void;
}

/** The largest object, in bytes: an object is in memory as a whole. */
export const mostObjectBytes = 8 * 1024 * 1024;

/** The store cannot be reached or refuses a call. The message says what to do, and has no keys. */
export class StoreFailure extends Error {
  /** Whether the same call can succeed later without a change by a person. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTemporary = isTemporary;
  }
}

/** Lists all names from a place on, in the order of their bytes. */
export async function* listAll(
  store: Pick<ArchiveStore, 'list'>,
  prefix: string,
  after?: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  for (let last = after; ; ) {
    const names = await store.list(prefix, { after: last, limit: namesAtOnce }, signal);
    yield* names;
    last = names.at(-1);
    if (names.length < namesAtOnce) return;
  }
}

const namesAtOnce = 1_000;
