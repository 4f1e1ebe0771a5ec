// What a file has, before it is inserted: the first rows, what was decided, and the types of the columns.
import { type GuessedType, guessedTypeNamed, guessedTypes } from '../../src/files/guess-type.js';
import { shortened } from '../../src/foundation/text/shorten-text.js';
import { isObject, memberAt, parseJson, plainText } from '../json/exact-json.js';
import { DataTable } from '../parts/data-table.js';
import type { NewRow } from './insert-batches.js';
import type { FoundFile } from './use-planned-file.js';

interface Props {
  readonly found: FoundFile;
  /** The types that were chosen. */
  readonly types: ReadonlyMap<string, GuessedType>;
  readonly onTypes: (types: ReadonlyMap<string, GuessedType>) => void;
}

/** Shows it. */
export function FilePreview(props: Props) {
  const { planned, first } = props.found;
  return (
    <section class="stack">
      <FirstRows rows={first} />
      <ul class="muted">
        {planned.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {planned.types.size > 0 && <ColumnTypes {...props} />}
    </section>
  );
}

function FirstRows({ rows: found }: { readonly rows: readonly NewRow[] }) {
  const rows = found.map(({ text, number, problem }, at) => {
    const value = text === '' ? {} : parseJson(text);
    return { at, number, problem, value: isObject(value) ? value : {} };
  });
  type Row = (typeof rows)[number];
  const names = [...new Set(rows.flatMap(({ value }) => Object.keys(value)))];
  const refused = { title: 'Refused', cell: ({ problem }: Row) => problem ?? '' };
  return (
    <DataTable
      label="The first rows"
      columns={[
        { title: 'Line', kind: 'number', isNamed: true, cell: ({ number }: Row) => number.toLocaleString() },
        ...(rows.some(({ problem }) => problem !== undefined) ? [refused] : []),
        ...names.map((name) => ({
          title: name,
          isNamed: true,
          // A column may have the name of a member that every object has, such as `constructor`.
          cell: ({ value }: Row) => shortened(plainText(memberAt(value, name)), longestShown),
        })),
      ]}
      rows={rows}
      keyOf={({ at }) => String(at)}
    />
  );
}

/** A table that exists has its types; others are guessed, and can be chosen. */
function ColumnTypes({ found, types, onTypes }: Props) {
  const { planned } = found;
  const { kind, existing } = planned.destination;
  const { fields } = planned.plan;
  return (
    <DataTable
      label="Types of the columns"
      columns={[
        { title: 'Column', cell: ({ name }) => name },
        {
          title: 'Type',
          isNamed: true,
          cell: ({ name, type, at }) =>
            existing?.kind === 'table' ? (
              fields[at]?.type
            ) : (
              <TypeChoice
                name={name}
                type={type}
                choices={kind === 'table' ? columnTypes : guessedTypes}
                onChoose={(next) => onTypes(new Map([...types, [name, next]]))}
              />
            ),
        },
        {
          title: 'Empty',
          kind: 'number',
          isNamed: true,
          cell: ({ name }) => (planned.columns.get(name)?.empty ?? 0).toLocaleString(),
        },
      ]}
      rows={[...planned.types].map(([name, type], at) => ({ name, type, at }))}
      keyOf={({ name }) => name}
    />
  );
}

/** Types for the columns of a table. Members of documents also have objects and arrays. */
const columnTypes = guessedTypes.filter((type) => type !== 'json');

function TypeChoice(props: {
  readonly name: string;
  readonly type: GuessedType;
  readonly choices: readonly GuessedType[];
  readonly onChoose: (type: GuessedType) => void;
}) {
  return (
    <select
      class="input"
      aria-label={`Type of ${props.name}`}
      value={props.type}
      onChange={(event) => {
        const chosen = guessedTypeNamed(event.currentTarget.value);
        if (chosen !== undefined) props.onChoose(chosen);
      }}
    >
      {props.choices.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

const longestShown = 60;
