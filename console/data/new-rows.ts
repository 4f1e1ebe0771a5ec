// Objects of JSON texts as rows to insert.
import { readJsonFile } from '../../src/files/read-json-file.js';
import { RecordIds } from '../../src/files/record-ids.js';
import { objectWriter } from '../../src/files/write-object.js';
import type { FileRow, RowIds } from '../../src/files/write-row.js';
import type { NewRow } from './insert-batches.js';
import { columnsOf, type Item } from './schema.js';
import { sha256 } from './sha-256.js';

/** The types of the columns by their names; none for a collection. */
export function columnTypes({ kind, definition }: Item): ReadonlyMap<string, string> {
  if (kind === 'collection') return new Map();
  return new Map(columnsOf(definition).map(({ name, described }) => [name, described.name]));
}

/** How objects and records become rows. */
export interface RowForm {
  readonly kind: Item['kind'];
  /** The types of the columns of a table by their names; none for a collection. */
  readonly types: ReadonlyMap<string, string>;
  /** The column or member whose value is also the id of a document; undefined if there is none. */
  readonly idFrom: string | undefined;
}

/** The objects in the pieces of a text: an array, one a line, or one behind another. @throws FileProblem */
export async function* jsonRows(
  pieces: AsyncIterable<string>,
  form: RowForm,
  name: string,
): AsyncGenerator<readonly NewRow[]> {
  const { ids, noting } = rowNotes(form);
  const write = noting(objectWriter({ ids, types: form.types, conversions: new Map() }));
  for await (const records of readJsonFile(pieces, name))
    yield records.map((record) =>
      write(record, () => ('problem' in record ? undefined : oneLine(record.text))),
    );
}

/** Line breaks stand between the parts of JSON, never within its texts. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+\s*/g, ' ');
}

/**
 * Ids that are made of the content, as those of `colonnade import`: what is inserted again is not there twice. `noting`
 * makes a writer say which documents have one.
 */
export function rowNotes({ kind, idFrom }: RowForm) {
  const made = new RecordIds(sha256);
  let isMade = false;
  const next = (content: string) => {
    isMade = true;
    return made.next(content);
  };
  const ids: RowIds | undefined = kind === 'collection' ? { from: idFrom, next } : undefined;
  const noting =
    <Entry>(write: (entry: Entry) => FileRow) =>
    (entry: Entry, original: () => string | undefined): NewRow => {
      isMade = false;
      const row = write(entry);
      return { ...row, hasMadeId: isMade, original };
    };
  return { ids, noting };
}
