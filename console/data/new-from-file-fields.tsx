// The fields of a table or collection that is created for a file.
import { serverFacts } from '../net/server-facts.js';
import { SelectField, TextField } from '../parts/field.js';
import { CollectionFields } from './collection-form.js';
import { IdFromField } from './id-from-field.js';
import type { CompleteChoices, NewFromFile } from './new-from-file.js';
import type { InspectedFile } from './source-file.js';
import type { FoundFile } from './use-planned-file.js';

interface Props {
  readonly inspected: InspectedFile;
  readonly found: FoundFile | undefined;
  readonly chosen: NewFromFile;
  readonly complete: CompleteChoices;
  readonly onChange: (chosen: NewFromFile) => void;
}

/** Shows the fields that the kind of the file and of what is created need. */
export function NewFromFileFields(props: Props) {
  const { inspected, found, chosen, complete, onChange } = props;
  const { kind, name } = complete;
  const isJson = inspected.format === 'ndjson';
  const hasCollections = serverFacts.value?.hasCollections !== false;
  // The form says what to do instead: nothing can be created for the file.
  if (isJson && !hasCollections) return null;
  return (
    <>
      <div class="form-row">
        <TextField label="Name" value={name} onChange={(next) => onChange({ ...chosen, name: next })} />
        {hasCollections && (
          <SelectField
            label="Kind"
            value={kind}
            choices={kinds}
            isDisabled={isJson}
            onChange={(value) =>
              onChange({ ...chosen, kind: value === 'collection' ? 'collection' : 'table' })
            }
          />
        )}
      </div>
      {isJson && (
        <p class="hint">
          JSON goes into a collection. For a table, create it by the form, then insert the file there.
        </p>
      )}
      {kind === 'table' ? (
        <KeyFields {...props} />
      ) : (
        <>
          <div class="form-row">
            <IdFromField
              {...{ inspected, found }}
              value={chosen.idFrom}
              onChange={(idFrom) => onChange({ ...chosen, idFrom })}
            />
          </div>
          <details>
            <summary>Search by vectors and by words</summary>
            <CollectionFields
              form={chosen.collection}
              onChange={(collection) => onChange({ ...chosen, collection })}
            />
          </details>
        </>
      )}
    </>
  );
}

const kinds = [
  { value: 'table', label: 'Table' },
  { value: 'collection', label: 'Collection' },
];

/** Shows a field for each column of the key, the partition key first, and one more for the next clustering column. */
function KeyFields({ inspected, chosen, complete, onChange }: Props) {
  const { keys } = complete;
  const columns = [...inspected.columns.keys()];
  const places = Math.min(keys.length + 1, columns.length);
  return (
    <div class="form-row">
      {Array.from({ length: places }, (_, at) => {
        const own = keys[at];
        const free = columns.filter((name) => name === own || !keys.includes(name));
        const isKept = at === 0 && own !== undefined;
        return (
          <SelectField
            key={at}
            label={at === 0 ? 'Partition key' : `Clustering column${at === 1 ? '' : ` ${at}`}`}
            {...(at === 0 ? { note: '--primary-key' } : {})}
            value={choiceOf(own)}
            choices={[
              ...(isKept ? [] : [{ value: '', label: at === 0 ? 'choose a column' : 'none' }]),
              ...free.map((name) => ({ value: choiceOf(name), label: name })),
            ]}
            onChange={(value) => {
              const primaryKey =
                value === '' ? keys.toSpliced(at, 1) : keys.toSpliced(at, 1, columnOf(value));
              onChange({ ...chosen, primaryKey });
            }}
          />
        );
      })}
    </div>
  );
}

/** A column may have any name, also an empty one, which stands for none. */
function choiceOf(name: string | undefined): string {
  return name === undefined ? '' : `=${name}`;
}

function columnOf(value: string): string {
  return value.slice(1);
}
