// Inserts the rows of a file that is chosen in the browser: CSV, or JSON in any of the usual forms.
import { useMemo, useState } from 'preact/hooks';
import { stemOf } from '../../src/files/file-format.js';
import { counted } from '../parts/counted.js';
import { FileInput } from './file-input.js';
import { FileOptions } from './file-options.js';
import { FilePreview } from './file-preview.js';
import { IdFromField } from './id-from-field.js';
import type { InsertManyProps } from './insert-many.js';
import { RefusedRows, RunDialog, useInsertRun } from './insert-run.js';
import { InsertWays } from './insert-ways.js';
import { destinationOf, headerOf, type RowChoices, rowsOfFile } from './planned-file.js';
import type { FileChoices } from './source-file.js';
import { useFoundFile, useInspectedFile } from './use-planned-file.js';

const nothingChosen: RowChoices = { types: new Map(), primaryKey: undefined, idFrom: '' };

/** Shows the form. */
export function ImportFile({ item, target, onClose }: InsertManyProps) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  const [file, setFile] = useState<File>();
  const [choices, setChoices] = useState<FileChoices>({});
  const [ofRows, setOfRows] = useState(nothingChosen);
  const inspected = useInspectedFile(file, thing, choices);
  const destination = useMemo(() => destinationOf(item), [item]);
  const found = useFoundFile(inspected.value, destination, ofRows);
  const planned = found.value?.planned;
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
      if (planned === undefined) throw new Error('Choose a file first.');
      return { total: planned.rows, rows: () => rowsOfFile(planned, signal) };
    });
  return (
    <RunDialog
      {...{ run, thing }}
      title={`Insert ${thing}s`}
      problem={inspected.failure ?? found.failure}
      action={planned === undefined ? 'Insert' : `Insert ${counted(planned.rows, thing)}`}
      isReady={planned !== undefined && planned.rows > 0}
      isBusy={inspected.isReading || found.isReading}
      onStart={() => void insert()}
      onClose={() => onClose(counts.inserted > 0)}
    >
      <InsertWays item={item} chosen="File" />
      <RefusedRows
        refused={run.refused}
        name={file === undefined ? item.name : stemOf(file.name)}
        format={planned?.format ?? 'csv'}
        header={planned === undefined ? undefined : headerOf(planned)}
      />
      {/* A run inserts what was chosen when it began. */}
      <fieldset class="form" disabled={isRunning}>
        <FileInput
          onChoose={(next) => {
            setOfRows(nothingChosen);
            changed(setFile)(next);
          }}
        />
        {file !== undefined && (
          <FileOptions
            choices={choices}
            isCsv={planned?.format !== 'ndjson'}
            onChange={changed(setChoices)}
          />
        )}
        {inspected.value !== undefined && item.kind === 'collection' && (
          <IdFromField
            inspected={inspected.value}
            found={found.value}
            value={ofRows.idFrom}
            onChange={(idFrom) => changed(setOfRows)({ ...ofRows, idFrom })}
          />
        )}
        {found.value !== undefined && (
          <FilePreview
            found={found.value}
            types={ofRows.types}
            onTypes={(types) => changed(setOfRows)({ ...ofRows, types })}
          />
        )}
      </fieldset>
    </RunDialog>
  );
}
