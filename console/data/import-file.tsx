// Inserts the rows of a file that is chosen in the browser: CSV, or JSON in any of the usual forms.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GuessedType } from '../../src/files/guess-type.js';
import { counted } from '../parts/counted.js';
import { FileOptions } from './file-options.js';
import { FilePreview, type FoundFile } from './file-preview.js';
import type { NewRow } from './insert-batches.js';
import type { InsertManyProps } from './insert-many.js';
import { RefusedRows, RunDialog, useInsertRun } from './insert-run.js';
import { InsertWays } from './insert-ways.js';
import type { Item } from './schema.js';
import { type FileChoices, headerOf, inspectFile, rowsOfFile } from './source-file.js';

/** Rows that are shown before anything is inserted. */
const mostShown = 5;

/** Shows the form. */
export function ImportFile({ item, target, onClose }: InsertManyProps) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  const [file, setFile] = useState<File>();
  const [choices, setChoices] = useState<FileChoices>({});
  const [types, setTypes] = useState<ReadonlyMap<string, GuessedType>>(new Map());
  const { found, failure, isReading } = useFound(file, item, choices, types);
  const run = useInsertRun(target);
  const { counts, isRunning } = run;
  const changed =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      run.forget();
    };
  const insert = () =>
    run.start(async (signal) => {
      if (found === undefined) throw new Error('Choose a file first.');
      const { readable } = found;
      return { total: readable.rows, rows: () => rowsOfFile(readable, item, signal) };
    });
  return (
    <RunDialog
      {...{ run, thing }}
      problem={failure}
      action={found === undefined ? 'Insert' : `Insert ${counted(found.readable.rows, thing)}`}
      isReady={found !== undefined && found.readable.rows > 0}
      isBusy={isReading}
      onStart={() => void insert()}
      onClose={() => onClose(counts.inserted > 0)}
    >
      <InsertWays item={item} chosen="File" />
      <FileInput
        isDisabled={isRunning}
        onChoose={(next) => {
          setTypes(new Map());
          changed(setFile)(next);
        }}
      />
      <RefusedRows
        refused={run.refused}
        name={file?.name.replace(/\.\w+(\.gz)?$/, '') ?? item.name}
        format={found?.readable.format ?? 'csv'}
        header={found === undefined ? undefined : headerOf(found.readable)}
      />
      {file !== undefined && (
        <FileOptions
          choices={choices}
          isCsv={found?.readable.format !== 'ndjson'}
          onChange={changed(setChoices)}
        />
      )}
      {found !== undefined && <FilePreview {...{ item, found, types }} onTypes={changed(setTypes)} />}
    </RunDialog>
  );
}

function FileInput(props: {
  readonly isDisabled: boolean;
  readonly onChoose: (file: File | undefined) => void;
}) {
  return (
    <label class="field">
      <span>CSV, NDJSON or JSON, also compressed by gzip</span>
      <input
        class="input"
        type="file"
        disabled={props.isDisabled}
        onChange={(event) => props.onChoose(event.currentTarget.files?.[0])}
      />
    </label>
  );
}

/** Reads the file again after each change of what is said about it. */
function useFound(
  file: File | undefined,
  item: Item,
  choices: FileChoices,
  types: ReadonlyMap<string, GuessedType>,
) {
  const [state, setState] = useState<{ readonly found?: FoundFile; readonly failure?: unknown }>({});
  const [isReading, setReading] = useState(false);
  const latest = useRef(item);
  latest.current = item;
  useEffect(() => {
    if (file === undefined) {
      setState({});
      return undefined;
    }
    const abort = new AbortController();
    const { signal } = abort;
    setReading(true);
    readFound(file, latest.current, choices, { types, signal })
      .then(
        (found) => signal.aborted || setState({ found }),
        (failure: unknown) => signal.aborted || setState({ failure }),
      )
      .finally(() => signal.aborted || setReading(false));
    return () => abort.abort();
  }, [file, choices, types]);
  return { ...state, isReading };
}

async function readFound(
  file: File,
  item: Item,
  choices: FileChoices,
  how: { readonly types: ReadonlyMap<string, GuessedType>; readonly signal: AbortSignal },
): Promise<FoundFile> {
  const readable = await inspectFile(file, item, choices, how);
  const first: NewRow[] = [];
  for await (const rows of rowsOfFile(readable, item, how.signal)) {
    first.push(...rows.slice(0, mostShown - first.length));
    if (first.length === mostShown) break;
  }
  return { readable, first };
}
