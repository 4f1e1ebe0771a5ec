// Builds a filter from lines of field, operator and value; JSON for filters that are more.
import { useEffect, useState } from 'preact/hooks';
import { describedOperator } from '../../src/descriptions/filter-operators.js';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { jsonProblem } from '../json/json-problem.js';
import { Button } from '../parts/button.js';
import { SelectField, TextField } from '../parts/field.js';
import { JsonEditor } from '../parts/json-editor.js';
import { Segments } from '../parts/segments.js';
import { type Condition, conditionsOf, filterOf } from './find-command.js';

/** What a field can be compared by. */
export interface FilterFields {
  /** The names to choose from. */
  readonly names: readonly string[];
  /** Whether other names can be typed, as in documents. */
  readonly isOpen: boolean;
  readonly operatorsOf: (field: string) => readonly string[];
  /** Whether the values of a field are texts. */
  readonly isText: (field: string) => boolean;
}

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
      {fields.isOpen && (
        <p class="hint">
          A value that is JSON is read as JSON: <code>12</code> is a number, <code>"12"</code> a text.
        </p>
      )}
      <div>
        <Button kind="quiet" icon="plus" onPress={() => onChange([...conditions, empty])}>
          And
        </Button>
      </div>
    </>
  );
}

const truths: readonly string[] = ['true', 'false'];

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
  const { field, operator, value } = condition;
  const names = fields.names;
  const operators = fields.operatorsOf(field);
  // An operator that the address names is offered, whatever the column is.
  const offered = operators.includes(operator) ? operators : [operator, ...operators];
  const onField = (next: string) => {
    const allowed = fields.operatorsOf(next);
    onChange({ field: next, operator: allowed.includes(operator) ? operator : (allowed[0] ?? operator) });
  };
  const onOperator = (next: string) => {
    const isTruth = truths.includes(value);
    if (operandOf(next) === 'truth') onChange({ operator: next, value: isTruth ? value : 'true' });
    else onChange({ operator: next, value: operandOf(operator) === 'truth' && isTruth ? '' : value });
  };
  return (
    <div class="form-row">
      {fields.isOpen ? (
        <TextField
          label="Field"
          isLabelHidden
          placeholder="Field"
          value={field}
          suggestions={names}
          onChange={onField}
        />
      ) : (
        <SelectField label="Column" isLabelHidden value={field} choices={names} onChange={onField} />
      )}
      <SelectField
        label="Operator"
        isLabelHidden
        value={operator}
        choices={offered.map((name) => ({ value: name, label: describedOperator(name)?.label ?? name }))}
        onChange={onOperator}
      />
      <ValueField {...condition} onChange={(next) => onChange({ value: next })} />
      <Button kind="quiet" icon="close" label="Remove this condition" onPress={onRemove} />
    </div>
  );
}

function ValueField({
  operator,
  value,
  onChange,
}: Condition & { readonly onChange: (value: string) => void }) {
  const frame = { label: 'Value', isLabelHidden: true, value, onChange };
  const operand = operandOf(operator);
  if (operand === 'truth') return <SelectField {...frame} choices={truths} />;
  return <TextField {...frame} isCode placeholder={operand === 'list' ? '["a", "b"]' : 'Value'} />;
}

function operandOf(operator: string) {
  return describedOperator(operator)?.operand;
}

function compact(text: string): string {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isObject(value) && Object.keys(value).length === 0 ? '' : writeJson(value);
}

function indented(text: string): string {
  return text === '' ? '{}' : writeJson(parseJson(text), 2);
}
