// What people say about a file, by the names of the options of `colonnade import`.
import { SelectField, TextField } from '../parts/field.js';
import type { FileChoices } from './source-file.js';

const guessed = { value: '', label: 'as it looks' };

interface OptionField {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly (string | { readonly value: string; readonly label: string })[];
  readonly placeholder?: string;
}

const formats: OptionField = {
  name: 'format',
  label: 'Format',
  choices: [guessed, { value: 'csv', label: 'CSV' }, { value: 'ndjson', label: 'JSON' }],
};
const encodings: OptionField = { name: 'encoding', label: 'Encoding', placeholder: 'utf-8' };
const yesNo = [{ value: '', label: 'no' }, 'yes'];

/** The options of CSV, in rows. */
const csvOptions: readonly (readonly OptionField[])[] = [
  [
    {
      name: 'delimiter',
      label: 'Delimiter',
      choices: [
        guessed,
        { value: ',', label: 'comma' },
        { value: ';', label: 'semicolon' },
        ...['tab', { value: '|', label: 'bar' }, 'space', 'none'],
      ],
    },
    {
      name: 'header',
      label: 'First line',
      choices: [
        guessed,
        { value: 'header', label: 'has the names' },
        { value: 'no-header', label: 'is a row' },
      ],
    },
    { name: 'skip-lines', label: 'Skip lines', placeholder: '0' },
  ],
  [
    {
      name: 'quote',
      label: 'Quote',
      choices: [guessed, '"', "'", { value: 'none', label: 'none: quotes are letters' }],
    },
    { name: 'escape', label: 'Escape', choices: [guessed, '\\', '"', 'none'] },
    { name: 'comment', label: 'Comments begin with', placeholder: '#' },
  ],
  [
    { name: 'null', label: 'No value', placeholder: 'NA,NULL' },
    {
      name: 'decimal',
      label: 'Decimal',
      choices: [
        { value: '', label: 'point' },
        { value: ',', label: 'comma' },
      ],
    },
    {
      name: 'thousands',
      label: 'Thousands',
      choices: [
        { value: '', label: 'none' },
        { value: ',', label: 'comma' },
        { value: '.', label: 'point' },
        'space',
        "'",
      ],
    },
  ],
  [
    { name: 'names', label: 'Names of the columns', placeholder: 'id,name' },
    { name: 'ragged', label: 'Records of any length', choices: yesNo },
    { name: 'skip-initial-space', label: 'Skip blanks behind delimiters', choices: yesNo },
  ],
];

/** Shows the fields of the options. Those about CSV are shown only for CSV. */
export function FileOptions(props: {
  readonly choices: FileChoices;
  readonly isCsv: boolean;
  readonly onChange: (choices: FileChoices) => void;
}) {
  const rows = [[formats, encodings], ...(props.isCsv ? csvOptions : [])];
  return (
    <details>
      <summary>How the file is written</summary>
      <div class="form">
        {rows.map((fields) => (
          <div class="form-row" key={fields[0]?.name}>
            {fields.map((field) => (
              <Option
                key={field.name}
                field={field}
                value={props.choices[field.name] ?? ''}
                onChange={(value) => props.onChange({ ...props.choices, [field.name]: value })}
              />
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}

function Option(props: {
  readonly field: OptionField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { field, value, onChange } = props;
  const { name, label, choices, placeholder } = field;
  const note = `--${name}`;
  if (choices !== undefined) return <SelectField {...{ label, note, value, choices, onChange }} />;
  return <TextField {...{ label, note, value, onChange }} placeholder={placeholder ?? ''} isCode />;
}
