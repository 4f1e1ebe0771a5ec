// Builds a filter from lines of field, operator and value; JSON for filters that are more.
import { useEffect, useState } from 'preact/hooks';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { JsonEditor, jsonProblem } from '../parts/json-editor.js';
import { Segments } from '../parts/segments.js';
import { type Condition, conditionsOf, filterOf } from './find-command.js';

/** What a field can be compared by. */
export interface FilterFields {
  /** To choose from. */
  readonly names: readonly string[];
  /** Whether other names can be typed, as in documents. */
  readonly isOpen: boolean;
  readonly operators: readonly string[];
  /** Whether the values of a field are texts. */
  readonly isText: (field: string) => boolean;
}

const operatorLabels: Readonly<Record<string, string>> = {
  $eq: '=',
  $ne: '≠',
  $gt: '>',
  $gte: '≥',
  $lt: '<',
  $lte: '≤',
  $in: 'in',
  $nin: 'not in',
  $all: 'has all',
  $exists: 'exists',
  $size: 'size',
  $match: 'matches words',
};

/** The builder: Enter or Apply uses the filter. */
export function FilterBuilder(props: {
  readonly filter: string;
  readonly fields: FilterFields;
  readonly onApply: (filter: string) => void;
}) {
  const { fields, onApply } = props;
  const { empty, conditions, setConditions, json, setJson, text, showAs, clear } = useFilter(
    props.filter,
    fields,
  );
  const isMore = json !== undefined && conditionsOf(json) === undefined;
  const isWrong = json !== undefined && json !== '' && jsonProblem(json) !== undefined;
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(text());
      }}
    >
      {json === undefined ? (
        <Lines conditions={conditions ?? [empty]} fields={fields} empty={empty} onChange={setConditions} />
      ) : (
        <JsonEditor label="Filter" value={json} onChange={setJson} />
      )}
      <div class="button-row">
        <Button kind="primary" type="submit" isDisabled={isWrong}>
          Apply
        </Button>
        <Button
          onPress={() => {
            clear();
            onApply('');
          }}
        >
          Clear
        </Button>
        <Segments
          label="Form of the filter"
          choices={isMore ? ['JSON'] : ['Lines', 'JSON']}
          chosen={json === undefined ? 'Lines' : 'JSON'}
          onChoose={showAs}
        />
      </div>
    </form>
  );
}

/** The filter while it is edited: lines, or JSON. Another filter in the address replaces it. */
function useFilter(filter: string, fields: FilterFields) {
  const empty: Condition = {
    field: fields.isOpen ? '' : (fields.names[0] ?? ''),
    operator: '$eq',
    value: '',
  };
  const linesOf = (text: string) => {
    const lines = conditionsOf(text);
    return lines?.length === 0 ? [empty] : lines;
  };
  const [conditions, setConditions] = useState(linesOf(filter));
  const [json, setJson] = useState(conditions === undefined ? filter : undefined);
  const text = () => (json === undefined ? filterOf(conditions ?? [], fields.isText) : compact(json));
  useEffect(() => {
    if (json === undefined && filter === text()) return;
    setConditions(linesOf(filter));
    setJson(linesOf(filter) === undefined ? filter : undefined);
  }, [filter]);
  const showAs = (form: 'Lines' | 'JSON') => {
    if (form === 'JSON') setJson(indented(text()));
    else {
      setConditions(linesOf(json ?? '') ?? [empty]);
      setJson(undefined);
    }
  };
  const clear = () => {
    setConditions([empty]);
    setJson(undefined);
  };
  return { empty, conditions, setConditions, json, setJson, text, showAs, clear };
}

function Lines({
  conditions,
  fields,
  empty,
  onChange,
}: {
  readonly conditions: readonly Condition[];
  readonly fields: FilterFields;
  readonly empty: Condition;
  readonly onChange: (conditions: readonly Condition[]) => void;
}) {
  return (
    <>
      {conditions.map((condition, at) => (
        <Line
          key={at}
          condition={condition}
          fields={fields}
          onChange={(part) => onChange(conditions.with(at, { ...condition, ...part }))}
          onRemove={() => onChange(conditions.length === 1 ? [empty] : conditions.toSpliced(at, 1))}
        />
      ))}
      <div>
        <Button kind="quiet" icon="plus" onPress={() => onChange([...conditions, empty])}>
          And
        </Button>
      </div>
    </>
  );
}

function Line({
  condition,
  fields,
  onChange,
  onRemove,
}: {
  readonly condition: Condition;
  readonly fields: FilterFields;
  readonly onChange: (part: Partial<Condition>) => void;
  readonly onRemove: () => void;
}) {
  const onField = (field: string) => onChange({ field });
  const names = fields.names;
  return (
    <div class="form-row">
      {fields.isOpen ? (
        <TextField
          label="Field"
          isLabelHidden
          placeholder="Field"
          value={condition.field}
          suggestions={names}
          onChange={onField}
        />
      ) : (
        <SelectField
          label="Column"
          isLabelHidden
          value={condition.field}
          choices={names}
          onChange={onField}
        />
      )}
      <SelectField
        label="Operator"
        isLabelHidden
        value={condition.operator}
        choices={fields.operators.map((value) => ({ value, label: operatorLabels[value] ?? value }))}
        onChange={(operator) => onChange({ operator })}
      />
      <TextField
        label="Value"
        isLabelHidden
        isCode
        placeholder={/^\$(in|nin|all)$/.test(condition.operator) ? '["a", "b"]' : 'Value'}
        value={condition.value}
        onChange={(value) => onChange({ value })}
      />
      <Button kind="quiet" icon="close" label="Remove this condition" onPress={onRemove} />
    </div>
  );
}

function compact(text: string): string {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isObject(value) && Object.keys(value).length === 0 ? '' : writeJson(value);
}

function indented(text: string): string {
  return text === '' ? '{}' : writeJson(parseJson(text), 2);
}
