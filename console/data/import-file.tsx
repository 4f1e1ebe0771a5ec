// Inserts the rows of a file that is chosen in the browser: CSV, or JSON in any of the usual forms.
import { useMemo, useState } from 'preact/hooks';
import { stemOf } from '../../src/files/file-format.js';
import { counted } from '../parts/counted.js';
import { FileInput } from './file-input.js';
import { FilePreview } from './file-preview.js';
import { IdFromField } from './id-from-field.js';
import type { InsertManyProps } from './insert-many.js';
import { RefusedRows, RunDialog, useInsertRun } from './insert-run.js';
import { InsertWays } from './insert-ways.js';
import { destinationOf, headerOf, type RowChoices, rowsOfFile } from './planned-file.js';
import type { Item } from './schema.js';
import type { FileChoices } from './source-file.js';
import { useFoundFile, useInspectedFile } from './use-planned-file.js';

const nothingChosen: RowChoices = { types: new Map(), primaryKey: undefined, idFrom: '' };

/** Shows the form. */
export function ImportFile({ item, target, onClose }: InsertManyProps) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  const run = useInsertRun(target);
  const form = useFileForm(item, run.forget);
  const planned = form.found.value?.planned;
  const insert = () =>
    run.start(async (signal) => {
      if (planned === undefined) throw new Error('Choose a file first.');
      return { total: planned.rows, rows: () => rowsOfFile(planned, signal) };
    });
  return (
    <RunDialog
      {...{ run, thing }}
      title={`Insert ${thing}s`}
      problem={form.inspected.failure ?? form.found.failure}
      action={planned === undefined ? 'Insert' : `Insert ${counted(planned.rows, thing)}`}
      isReady={planned !== undefined && planned.rows > 0}
      isBusy={form.inspected.isReading || form.found.isReading}
      onStart={() => void insert()}
      onClose={() => onClose(run.counts.inserted > 0)}
    >
      <InsertWays item={item} chosen="File" />
      <RefusedRows
        refused={run.refused}
        name={form.file === undefined ? item.name : stemOf(form.file.name)}
        format={planned?.format ?? 'csv'}
        header={planned === undefined ? undefined : headerOf(planned)}
      />
      <FormFields form={form} hasIds={item.kind === 'collection'} isDisabled={run.isRunning} />
    </RunDialog>
  );
}

/** What is chosen, and what is read of the file because of it. `onChange` is called when something else is chosen. */
function useFileForm(item: Item, onChange: () => void) {
  const [file, setFile] = useState<File>();
  const [choices, setChoices] = useState<FileChoices>({});
  const [ofRows, setOfRows] = useState(nothingChosen);
  const inspected = useInspectedFile(file, item.kind === 'table' ? 'row' : 'document', choices);
  const destination = useMemo(() => destinationOf(item), [item]);
  const found = useFoundFile(inspected.value, destination, ofRows);
  const changed =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      onChange();
    };
  const chooseFile = changed((next: File | undefined) => {
    setOfRows(nothingChosen);
    setFile(next);
  });
  const change = { chooseFile, setChoices: changed(setChoices), setOfRows: changed(setOfRows) };
  return { file, choices, ofRows, inspected, found, ...change };
}

/** Shows the choices. They are disabled during a run, which inserts what was chosen when it began. */
function FormFields(props: {
  readonly form: ReturnType<typeof useFileForm>;
  readonly hasIds: boolean;
  readonly isDisabled: boolean;
}) {
  const { file, choices, ofRows, inspected, found, chooseFile, setChoices, setOfRows } = props.form;
  return (
    <fieldset class="form" disabled={props.isDisabled}>
      <FileInput
        {...{ file, choices }}
        inspected={inspected.value}
        onChoose={chooseFile}
        onChange={setChoices}
      />
      {inspected.value !== undefined && props.hasIds && (
        <IdFromField
          inspected={inspected.value}
          found={found.value}
          value={ofRows.idFrom}
          onChange={(idFrom) => setOfRows({ ...ofRows, idFrom })}
        />
      )}
      {found.value !== undefined && (
        <FilePreview
          found={found.value}
          types={ofRows.types}
          onTypes={(types) => setOfRows({ ...ofRows, types })}
        />
      )}
    </fieldset>
  );
}
