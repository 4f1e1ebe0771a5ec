// The forms that change the definition of a table.
import { useState } from 'preact/hooks';
import type { TypeDescription } from '../../src/descriptions/value-input.js';
import { vectorMetrics } from '../../src/descriptions/vector-metrics.js';
import { type JsonObject, parseObject } from '../json/exact-json.js';
import { serverFacts } from '../net/server-facts.js';
import { SelectField, TextField } from '../parts/field.js';
import { JsonEditor } from '../parts/json-editor.js';
import type { Command, Target } from './command.js';
import { CommandDialog } from './command-dialog.js';
import { type Column, columnsOf, type Index, type Item } from './schema.js';
import { ColumnTypeFields, columnBody, newColumn } from './table-form.js';

interface DialogProps {
  readonly target: Target;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const exampleOperation = '{\n  "add": {\n    "columns": {\n      "name": "text"\n    }\n  }\n}';

/** Adds a column by form, or sends any operation of `alterTable` as JSON. */
export function AddColumnDialog({
  target,
  isJson,
  onDone,
  onClose,
}: DialogProps & { readonly isJson: boolean }) {
  const [column, setColumn] = useState(newColumn);
  const [json, setJson] = useState(exampleOperation);
  const added = { add: { columns: { [column.name]: columnBody(column) } } };
  const operation = isJson ? parseObject(json) : added;
  const isReady = operation !== undefined && (isJson || column.name !== '');
  const commands: readonly Command[] | string = isReady
    ? [{ target, name: 'alterTable', body: { operation } }]
    : isJson
      ? 'Correct the JSON first.'
      : 'Type a name.';
  return (
    <CommandDialog
      title={isJson ? 'Alter the table' : 'Add a column'}
      isWide={isJson}
      action={isJson ? 'Alter' : 'Add'}
      commands={commands}
      done={isJson ? 'Altered the table.' : `Added the column ${column.name}.`}
      onDone={onDone}
      onClose={onClose}
    >
      {isJson ? (
        <>
          <JsonEditor label="Operation" value={json} onChange={setJson} />
          <p class="hint">One of add, drop, addVectorize and dropVectorize.</p>
        </>
      ) : (
        <>
          <TextField label="Name" value={column.name} onChange={(name) => setColumn({ ...column, name })} />
          <ColumnTypeFields column={column} onChange={setColumn} />
        </>
      )}
    </CommandDialog>
  );
}

/**
 * Creates an index of the kind that fits the column. It begins with `column`, or else with one that has none of
 * `indexes`.
 */
export function CreateIndexDialog({
  item,
  target,
  indexes,
  column: wanted,
  onDone,
  onClose,
}: DialogProps & { readonly item: Item; readonly indexes: readonly Index[]; readonly column?: string }) {
  const columns = columnsOf(item.definition);
  const [chosenColumn, setColumn] = useState(columns.find(({ name }) => name === wanted)?.name);
  const column = chosenColumn ?? freeColumn(columns, indexes);
  const [name, setName] = useState<string>();
  const [kind, setKind] = useState<string>();
  const [metric, setMetric] = useState('cosine');
  const type = columns.find((one) => one.name === column)?.described;
  const hasText = serverFacts.value?.hasTextIndexes === true;
  const kinds = kindsFor(type, hasText);
  const chosen = kinds.find(({ value }) => value === kind) ?? kinds[0];
  const ownName = name ?? `${item.name}_${column}`;
  const options = chosen?.value === 'createVectorIndex' ? { options: { metric } } : {};
  const body: JsonObject = { name: ownName, definition: { column, ...options } };
  const commands =
    chosen === undefined || ownName === ''
      ? 'Choose a column and a name.'
      : [{ target, name: chosen.value, body }];
  return (
    <CommandDialog
      title="Create an index"
      action="Create"
      commands={commands}
      done={`Created the index ${ownName}.`}
      onDone={onDone}
      onClose={onClose}
    >
      <SelectField
        label="Column"
        value={column}
        choices={columns.map((one) => one.name)}
        onChange={setColumn}
      />
      {kinds.length > 1 && (
        <SelectField label="Kind" value={chosen?.value ?? ''} choices={kinds} onChange={setKind} />
      )}
      {hasWords(type) && !hasText && <p class="hint">Indexes of words need --dialect extended.</p>}
      {chosen?.value === 'createVectorIndex' && (
        <SelectField label="Similarity" value={metric} choices={vectorMetrics} onChange={setMetric} />
      )}
      <TextField label="Name" value={ownName} onChange={setName} />
    </CommandDialog>
  );
}

/** The first column outside the key without an index; where there is none, the first column. */
function freeColumn(columns: readonly Column[], indexes: readonly Index[]): string {
  const isFree = ({ name, key }: Column) =>
    key === undefined && !indexes.some((index) => index.column === name);
  return (columns.find(isFree) ?? columns[0])?.name ?? '';
}

function hasWords(type: TypeDescription | undefined): boolean {
  return type?.uses.includes('words') === true;
}

function kindsFor(type: TypeDescription | undefined, hasText: boolean) {
  if (type?.kind === 'vector') return [{ value: 'createVectorIndex', label: 'Vector: nearest neighbours' }];
  const regular = { value: 'createIndex', label: 'Regular: filters' };
  return hasWords(type) && hasText
    ? [regular, { value: 'createTextIndex', label: 'Text: words' }]
    : [regular];
}
