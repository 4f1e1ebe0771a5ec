// Reads a whole JSON file to count its objects and to find what an import changes.
import { type Conversions, convertExtended, type ValueForm } from './extended-json.js';
import { readJsonFile } from './read-json-file.js';

/** What a whole JSON file has. */
export interface InspectedJson {
  /** Objects, and texts in their places that are refused. */
  readonly rows: number;
  /** Objects with a member `_id` that is not null. */
  readonly withId: number;
  readonly conversions: Conversions;
}

/** Inspects the pieces of a text. @throws FileProblem if they are not JSON */
export async function inspectJson(
  pieces: AsyncIterable<string>,
  form: ValueForm,
  name: string,
): Promise<InspectedJson> {
  const conversions: Conversions = new Map();
  let [rows, withId] = [0, 0];
  for await (const records of readJsonFile(pieces, name))
    for (const record of records) {
      rows += 1;
      if ('problem' in record) continue;
      if ((record.object.get('_id') ?? null) !== null) withId += 1;
      if (record.text.includes('$')) convertExtended(record.object, form, conversions);
    }
  return { rows, withId, conversions };
}
