// The choice of where the ids of documents of a file come from.
import { isObject, parseJson } from '../json/exact-json.js';
import { SelectField, TextField } from '../parts/field.js';
import type { InspectedFile } from './source-file.js';
import type { FoundFile } from './use-planned-file.js';

/** Shows the field. It suggests the members of JSON that `found` has. An empty value names no column. */
export function IdFromField(props: {
  readonly inspected: InspectedFile;
  readonly found: FoundFile | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { inspected, found, onChange } = props;
  const field = { label: 'Ids of the documents from', note: '--id-from', onChange };
  const usual =
    inspected.withId === 0
      ? 'the content of each'
      : inspected.withId === inspected.rows
        ? '_id'
        : '_id, else the content of each';
  if (inspected.format === 'csv') {
    const columns = [...inspected.columns.keys()].filter((name) => name !== '_id');
    const choices = [{ value: '', label: usual }, ...columns];
    return (
      <SelectField {...field} {...{ choices }} value={columns.includes(props.value) ? props.value : ''} />
    );
  }
  const suggestions = found === undefined ? [] : membersOf(found);
  return <TextField {...field} {...{ suggestions }} value={props.value} placeholder={usual} isCode />;
}

/** The members of the first objects, also of those that are refused because they have no such id. */
function membersOf({ first }: FoundFile): readonly string[] {
  const names = first.flatMap(({ text, original }) => {
    const json = text === '' ? original() : text;
    const value = json === undefined ? undefined : parseJson(json);
    return isObject(value) ? Object.keys(value) : [];
  });
  return [...new Set(names)].filter((name) => name !== '_id');
}
