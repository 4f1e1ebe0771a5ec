// The body of pieces and of parts of copies: pages, each with its number before it.
import { ArchiveDamaged } from './archive-damaged.js';

/** A page of a database. */
export interface ArchivedPage {
  /** Its number, from 1. */
  readonly page: number;
  readonly content: Buffer;
}

const numberBytes = 4;

/** Collects pages in memory that is used again for the next list. */
export class PageListWriter {
  readonly #bytes: Buffer;
  readonly #pageBytes: number;
  #length = 0;

  /** At most `mostPages` pages of `pageBytes` bytes each. */
  constructor(pageBytes: number, mostPages: number) {
    this.#pageBytes = pageBytes;
    this.#bytes = Buffer.allocUnsafeSlow(mostPages * (numberBytes + pageBytes));
  }

  /** Begins a new list. */
  clear(): void {
    this.#length = 0;
  }

  /** Adds a page, whose content the caller writes into the bytes that this returns. */
  add(page: number): Buffer {
    this.#bytes.writeUInt32BE(page, this.#length);
    const at = this.#length + numberBytes;
    this.#length = at + this.#pageBytes;
    return this.#bytes.subarray(at, this.#length);
  }

  /** The number of pages of the list. */
  get pages(): number {
    return this.#length / (numberBytes + this.#pageBytes);
  }

  /** The list, of use until the next change. */
  get raw(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

let shared:
  | { readonly list: PageListWriter; readonly pageBytes: number; readonly mostPages: number }
  | undefined;

/** An empty list in memory that this thread uses again: what it had is of use until the next call. */
export function pageListOf(pageBytes: number, mostPages: number): PageListWriter {
  if (shared?.pageBytes !== pageBytes || shared.mostPages !== mostPages)
    shared = { list: new PageListWriter(pageBytes, mostPages), pageBytes, mostPages };
  shared.list.clear();
  return shared.list;
}

/** The pages of a list, in its order. `name`: the object, for messages. @throws ArchiveDamaged */
export function readPages(name: string, raw: Buffer, pageBytes: number): readonly ArchivedPage[] {
  const isSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  const itemBytes = numberBytes + pageBytes;
  if (!isSize || raw.length % itemBytes !== 0)
    throw new ArchiveDamaged(name, 'is damaged: it does not have whole pages');
  const pages: ArchivedPage[] = [];
  for (let at = 0; at < raw.length; at += itemBytes) {
    const page = raw.readUInt32BE(at);
    if (page === 0) throw new ArchiveDamaged(name, 'is damaged: pages count from 1');
    pages.push({ page, content: raw.subarray(at + numberBytes, at + itemBytes) });
  }
  return pages;
}
