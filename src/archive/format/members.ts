// Reads the members of the JSON objects of an archive, each with its check.
import { ArchiveDamaged } from './archive-damaged.js';
import type { LogPosition } from './log-position.js';

/** The version of the objects of an archive. A change that older releases cannot read raises it. */
export const archiveFormat = 2;
/** The version of the copies that refer to another generation: a release that does not know them refuses them. */
export const referenceFormat = 3;

/** What an object of an archive is. */
export type ArchivedKind = 'archive' | 'generation' | 'copy' | 'part' | 'piece' | 'files' | 'lease';

/** The members of one JSON object. Every method throws ArchiveDamaged, which names the object of the archive. */
export class Members {
  readonly #name: string;
  readonly #members: Readonly<Record<string, unknown>>;

  /** `name`: the object of the archive. */
  constructor(name: string, value: unknown) {
    this.#name = name;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ArchiveDamaged(name, 'is damaged: its description is not a JSON object');
    this.#members = value as Readonly<Record<string, unknown>>; // it is an object
  }

  /** The version of the object. */
  get format(): number {
    return this.integer('format');
  }

  /** Checks the format and the kind of the object. */
  expectKind(kind: ArchivedKind): this {
    const { format } = this;
    const known = kind === 'copy' ? [archiveFormat, referenceFormat] : [archiveFormat];
    if (!known.includes(format))
      throw new ArchiveDamaged(
        this.#name,
        `has the format ${format}, and this version reads the format ${known.join(' or ')}: use the release ` +
          'that wrote it',
      );
    if (this.#members['kind'] !== kind) throw this.#wrong('kind');
    return this;
  }

  /** A text, which has the pattern if one is given. */
  text(member: string, pattern?: RegExp): string {
    const value = this.#members[member];
    if (typeof value !== 'string' || pattern?.test(value) === false) throw this.#wrong(member);
    return value;
  }

  /** An integer from 0. */
  integer(member: string): number {
    const value = this.#members[member];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw this.#wrong(member);
    return value;
  }

  boolean(member: string): boolean {
    const value = this.#members[member];
    if (typeof value !== 'boolean') throw this.#wrong(member);
    return value;
  }

  /** A SHA-256 in 64 hexadecimal digits. */
  sha256(member: string): string {
    return this.text(member, /^[0-9a-f]{64}$/);
  }

  /** One of some words. */
  word<Word extends string>(member: string, words: readonly Word[]): Word {
    const value = this.#members[member];
    const word = words.find((one) => one === value);
    if (word === undefined) throw this.#wrong(member);
    return word;
  }

  has(member: string): boolean {
    return this.#members[member] !== undefined;
  }

  /** The members of an object within this one. */
  members(member: string): Members {
    return new Members(this.#name, this.#members[member]);
  }

  /** A list of objects. */
  objects(member: string): readonly Members[] {
    const value = this.#members[member];
    if (!Array.isArray(value)) throw this.#wrong(member);
    return value.map((element: unknown) => new Members(this.#name, element));
  }

  /** A place in a log. */
  position(member: string): LogPosition {
    const members = this.members(member);
    return { salts: members.#pair('salts'), frames: members.integer('frames'), sum: members.#pair('sum') };
  }

  #pair(member: string): readonly [number, number] {
    const value: unknown = this.#members[member];
    if (!Array.isArray(value) || value.length !== 2) throw this.#wrong(member);
    const [one, two]: readonly unknown[] = value;
    if (!isWord(one) || !isWord(two)) throw this.#wrong(member);
    return [one, two];
  }

  #wrong(member: string): ArchiveDamaged {
    return new ArchiveDamaged(this.#name, `is damaged: its "${member}" is missing or wrong`);
  }
}

function isWord(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}
