// Builds the index entries of all documents of a collection, in steps between commits. Each step stores how far it is,
// so that a build continues in another process. Documents that are inserted meanwhile have entries.

import type { JsonObject, JsonText } from '../../../../foundation/json/json-value.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { text as textType } from '../../../column-types/text.js';
import { parsedObject } from '../../../documents/document-columns.js';
import type { Collection } from '../../../schema/collection.js';
import { noteBuiltText, readBuiltText, unbuiltText } from '../statements/entry-statements.js';
import { addDocumentEntries, type EntryTable } from './entry-writes.js';

/** A build under way. */
export class EntryBuild {
  readonly #database: Database;
  readonly #collection: Pick<Collection, 'id'>;
  readonly #next: string;
  /** The last document with entries. */
  #built: number;
  /** The last one that existed when the build began. */
  readonly #last: number;

  constructor(collection: Collection, database: Database) {
    this.#database = database;
    this.#collection = collection;
    this.#next = unbuiltText(collection);
    const [built, last] =
      database.statement(readBuiltText, { returnArrays: true }).get([collection.id]) ?? [];
    this.#built = Number(built);
    this.#last = Number(last);
  }

  /** Whether changes of a document are to be written to its entries. */
  hasEntries(document: number): boolean {
    return document <= this.#built || document > this.#last;
  }

  /**
   * Adds the entries of the next documents in the present transaction, at most `count` and until `isTime`. Returns
   * whether all have them.
   */
  step(table: EntryTable, count: number, isTime: () => boolean): boolean {
    const next = this.#database.statement(`${this.#next} LIMIT 1`, { returnArrays: true });
    for (let left = count; left > 0; left -= 1) {
      const [number, stored] = next.get([this.#built, this.#last]) ?? [];
      if (number === undefined) {
        if (this.#built > 0) table.segments.close(this.#built);
        this.#note(this.#last);
        return true;
      }
      const document = readable(textType.sql.decode(String(stored)));
      addDocumentEntries(this.#database, table, Number(number), document);
      this.#built = Number(number);
      if (isTime()) break;
    }
    this.#note(this.#built);
    return false;
  }

  #note(built: number): void {
    this.#built = built;
    this.#database.statement(noteBuiltText).run([built, this.#collection.id]);
  }
}

/** A damaged document gets no entries; checks report it. */
function readable(text: JsonText): JsonObject {
  try {
    return parsedObject(text);
  } catch {
    return new Map();
  }
}
