// The form of a table: its columns and its primary key.
import { typeDescriptions } from '../../src/descriptions/column-types.js';
import type { TypeDescription } from '../../src/descriptions/value-input.js';
import type { Json, JsonObject } from '../json/exact-json.js';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { dimensionOf } from './collection-form.js';
import { EmbeddingModelField } from './embedding-model-field.js';
import { builtInModel, serviceOf } from './embedding-service.js';

/** A column as it is typed. */
export interface ColumnForm {
  readonly name: string;
  readonly type: string;
  readonly dimension: string;
  /** The model of a column with embeddings: see `serviceOf`. */
  readonly model: string;
  readonly key: 'none' | 'partition' | 'ascending' | 'descending';
}

export interface TableForm {
  readonly columns: readonly ColumnForm[];
}

/** A type to choose, and the definition of a column of it. */
interface TypeChoice {
  readonly label: string;
  readonly definition: (size: JsonObject, model: string) => Json;
  readonly hasDimension?: true;
  /** Whether a model makes its vectors from texts. */
  readonly hasModel?: true;
}

/** The types of the members of lists, sets and maps; JSON has the others. */
const memberTypes = ['text', 'int', 'double'];

const typeChoices: readonly TypeChoice[] = typeDescriptions
  .filter(({ uses }) => uses.includes('create'))
  .flatMap(choicesOf);

function choicesOf({ name: type, parts = [] }: TypeDescription): readonly TypeChoice[] {
  if (parts.length === 0) return [{ label: type, definition: () => type }];
  if (parts.includes('dimension'))
    return [
      { label: type, definition: (size) => ({ type, ...size }), hasDimension: true },
      {
        label: `${type} with embeddings`,
        // The vectors of a local model have one dimension, which the server knows.
        definition: (size, model) => ({
          type,
          ...(model === builtInModel ? size : {}),
          service: serviceOf(model),
        }),
        hasDimension: true,
        hasModel: true,
      },
    ];
  if (!parts.includes('valueType')) return [];
  const [key, keyType] = parts.includes('keyType') ? ['text, ', { keyType: 'text' }] : ['', {}];
  return memberTypes.map((valueType) => ({
    label: `${type}<${key}${valueType}>`,
    definition: () => ({ type, ...keyType, valueType }),
  }));
}

function choiceNamed(label: string): TypeChoice | undefined {
  return typeChoices.find((choice) => choice.label === label);
}

/** An empty column. */
export const newColumn: ColumnForm = {
  name: '',
  type: 'text',
  dimension: '384',
  model: builtInModel,
  key: 'none',
};

/** A form to begin with. */
export const newTable: TableForm = { columns: [{ ...newColumn, name: 'id', key: 'partition' }, newColumn] };

/** The definition, or what is missing. */
export function tableBody({ columns }: TableForm): JsonObject | string {
  const named = columns.filter(({ name }) => name !== '');
  const twice = named.find(({ name }, at) => named.some((other, place) => place < at && other.name === name));
  if (twice !== undefined) return `There are two columns named ${twice.name}.`;
  const partitionBy = named.filter(({ key }) => key === 'partition').map(({ name }) => name);
  if (partitionBy.length === 0) return 'Choose a column for the partition key.';
  const sorted = named.filter(({ key }) => key === 'ascending' || key === 'descending');
  const partitionSort = Object.fromEntries(
    sorted.map(({ name, key }) => [name, key === 'ascending' ? 1 : -1]),
  );
  const [only, ...others] = partitionBy;
  const isSimple = others.length === 0 && sorted.length === 0;
  return {
    columns: Object.fromEntries(named.map((column) => [column.name, columnBody(column)])),
    primaryKey: isSimple && only !== undefined ? only : { partitionBy, partitionSort },
  };
}

/** The definition of one column. */
export function columnBody({
  type,
  dimension,
  model,
}: Pick<ColumnForm, 'type' | 'dimension' | 'model'>): Json {
  const count = dimensionOf(dimension);
  return choiceNamed(type)?.definition(count === undefined ? {} : { dimension: count }, model) ?? type;
}

export function TableFields({
  form,
  onChange,
}: {
  readonly form: TableForm;
  readonly onChange: (form: TableForm) => void;
}) {
  const { columns } = form;
  const change = (at: number, column: ColumnForm) => onChange({ columns: columns.with(at, column) });
  return (
    <fieldset class="form">
      <legend class="legend">Columns</legend>
      {columns.map((column, at) => (
        <div class="form-row column-row" key={at}>
          <TextField
            label="Column"
            value={column.name}
            onChange={(name) => change(at, { ...column, name })}
          />
          <ColumnTypeFields column={column} onChange={(next) => change(at, next)} />
          <SelectField
            label="Key"
            value={column.key}
            choices={keyChoices}
            onChange={(value) => {
              const key = keyChoices.find((choice) => choice.value === value)?.value ?? 'none';
              change(at, { ...column, key });
            }}
          />
          <Button
            kind="quiet"
            icon="trash"
            label={`Remove the column ${column.name}`}
            isDisabled={columns.length === 1}
            onPress={() => onChange({ columns: columns.toSpliced(at, 1) })}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onPress={() => onChange({ columns: [...columns, newColumn] })}>
          Add a column
        </Button>
      </div>
    </fieldset>
  );
}

const keyChoices = [
  { value: 'none', label: 'Not in the key' },
  { value: 'partition', label: 'Partition' },
  { value: 'ascending', label: 'Clustering, ascending' },
  { value: 'descending', label: 'Clustering, descending' },
] as const;

/** The type of a column, and the dimension of a vector. */
export function ColumnTypeFields({
  column,
  onChange,
}: {
  readonly column: ColumnForm;
  readonly onChange: (column: ColumnForm) => void;
}) {
  const chosen = choiceNamed(column.type);
  return (
    <>
      <SelectField
        label="Type"
        value={column.type}
        choices={typeChoices.map(({ label }) => label)}
        onChange={(type) => onChange({ ...column, type })}
      />
      {chosen?.hasModel === true && (
        <EmbeddingModelField model={column.model} onChange={(model) => onChange({ ...column, model })} />
      )}
      {chosen?.hasDimension === true && (chosen.hasModel !== true || column.model === builtInModel) && (
        <TextField
          label="Dimension"
          value={column.dimension}
          onChange={(dimension) => onChange({ ...column, dimension })}
        />
      )}
    </>
  );
}
