// Draws the fields of a form from their descriptions, and makes the body of a request from what was typed.
import type { DescribedField } from '../../src/descriptions/described-field.js';
import { CheckField, type Choice, SelectField, TextField } from '../parts/field.js';
import { AnnotationFields, annotationRows, annotationsText, repeatedName } from './annotation-fields.js';

/** The texts of a form by the names of fields: `true` for a flag, values of a list separated by commas. */
export type Draft = Readonly<Record<string, string>>;

/** The texts for the members of what is stored. */
export function draftOf(stored: object): Draft {
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, textOfValue(value)]));
}

/** The fields that the form has. */
export function shownFields(fields: readonly DescribedField[]): readonly DescribedField[] {
  return fields.filter(({ isForPrograms }) => isForPrograms !== true);
}

/**
 * The members for the server: empty texts are left out, or removed from what is stored, except secrets, which it keeps.
 * @throws Error when two annotations have the same name
 */
export function bodyOf(
  fields: readonly DescribedField[],
  draft: Draft,
  isNew: boolean,
): Readonly<Record<string, unknown>> {
  const members = shownFields(fields).flatMap((field): (readonly [string, unknown])[] => {
    const { name, isFixed, isSecret } = field;
    if (isFixed === true && !isNew) return [];
    const typed = textOf(field, draft);
    const trimmed = typed.trim();
    // A secret can begin or end with a blank; blanks alone are none.
    const value = sentValue(field, isSecret === true && trimmed !== '' ? typed : trimmed);
    if (value !== undefined) return [[name, value]];
    return isNew || isSecret === true ? [] : [[name, null]];
  });
  return Object.fromEntries(members);
}

/** The inputs of a form; fields of the same group share a row. */
export function DescribedFields(props: {
  readonly fields: readonly DescribedField[];
  readonly draft: Draft;
  readonly isNew: boolean;
  /** The metrics to choose from. */
  readonly metrics?: readonly Choice[];
  readonly onChange: (draft: Draft) => void;
}) {
  const { fields, draft, isNew, metrics = [], onChange } = props;
  const inputOf = (field: DescribedField) => (
    <FieldInput
      key={field.name}
      field={field}
      isNew={isNew}
      choices={field.kind === 'metric' ? metrics : choicesOf(field)}
      value={textOf(field, draft)}
      onChange={(value) => onChange({ ...draft, [field.name]: value })}
    />
  );
  const shown = shownFields(fields);
  return shown.map((field, at) => {
    const { group } = field;
    if (group === undefined) return inputOf(field);
    if (shown[at - 1]?.group === group) return null;
    return (
      <div key={group} class="form-row">
        {shown.filter((other) => other.group === group).map(inputOf)}
      </div>
    );
  });
}

function FieldInput(props: {
  readonly field: DescribedField;
  readonly isNew: boolean;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { field, isNew, choices, value, onChange } = props;
  const { kind, remark, help, group, isFixed, isSecret, example } = field;
  const label = remark === '' ? field.label : `${field.label} ${remark}`;
  switch (kind) {
    case 'choice':
    case 'metric':
      return (
        <SelectField
          label={label}
          value={value}
          // What is stored may be no choice now, such as a metric that no cluster provides.
          choices={
            choices.some((choice) => choice.value === value) ? choices : [{ value, label: value }, ...choices]
          }
          isWide={group !== undefined && choices.some((choice) => choice.label.length > longLabel)}
          isDisabled={isFixed === true && !isNew}
          onChange={onChange}
        />
      );
    case 'choices':
      return <ChoicesField label={label} choices={choices} value={value} onChange={onChange} />;
    case 'flag':
      return (
        <CheckField
          label={label}
          isChecked={value === 'true'}
          onChange={(isChecked) => onChange(String(isChecked))}
        />
      );
    case 'pairs':
      return <AnnotationFields legend={`${label}: ${help}`} text={value} onChange={onChange} />;
    case 'text':
    case 'number':
    case 'list':
      return (
        <TextField
          label={kind === 'list' ? `${label}, separated by commas` : label}
          value={value}
          type={isSecret === true ? 'password' : 'text'}
          placeholder={isSecret === true && !isNew ? 'unchanged' : (example ?? '')}
          onChange={onChange}
        />
      );
  }
}

function ChoicesField(props: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { label, choices, onChange } = props;
  const chosen = valuesIn(props.value);
  return (
    <fieldset class="form">
      <legend class="muted">{label}</legend>
      <div class="button-row">
        {choices.map((choice) => (
          <CheckField
            key={choice.value}
            label={choice.label}
            isChecked={chosen.includes(choice.value)}
            onChange={(isChosen) => {
              const others = chosen.filter((other) => other !== choice.value);
              onChange(textOfValue(isChosen ? [...others, choice.value] : others));
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** On phones, a choice with longer labels does not share a row. */
const longLabel = 10;

function choicesOf({ choices = [] }: DescribedField): readonly Choice[] {
  return choices.map(({ value, label }) => ({ value: String(value), label }));
}

function textOf({ name, start }: DescribedField, draft: Draft): string {
  return draft[name] ?? String(start);
}

function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' && value !== null ? annotationsText(Object.entries(value)) : String(value);
}

function valuesIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

/** The value for the server; undefined for none. It reports what is wrong with a text that is not a number. */
function sentValue({ kind, choices = [] }: DescribedField, text: string): unknown {
  if (kind === 'flag') return text === 'true';
  if (kind === 'choices') return valuesIn(text);
  if (text === '') return undefined;
  if (kind === 'list') return valuesIn(text);
  if (kind === 'pairs') return annotationsIn(text);
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  return choices.find(({ value }) => String(value) === text)?.value ?? text;
}

/** Rows without a name and a text are left out; undefined without rows. */
function annotationsIn(text: string): object | undefined {
  const rows = annotationRows(text).filter(([name, value]) => name.trim() !== '' || value.trim() !== '');
  if (rows.length === 0) return undefined;
  const repeated = repeatedName(rows);
  if (repeated !== undefined) throw new Error(`Two annotations are named ${repeated}: rename or remove one.`);
  return Object.fromEntries(rows.map(([name, value]) => [name.trim(), value]));
}
