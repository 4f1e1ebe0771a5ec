// Creates a table or a collection for a file that is chosen in the browser, and inserts its rows.
import { useMemo, useRef, useState } from 'preact/hooks';
import { stemOf } from '../../src/files/file-format.js';
import { counted } from '../parts/counted.js';
import { showToast } from '../state/toasts.js';
import { goTo } from '../state/url-state.js';
import { CommandSent } from './command-shown.js';
import { createNew } from './create-new.js';
import { type CreateProps, CreateWays } from './create-ways.js';
import { FileInput } from './file-input.js';
import { FilePreview } from './file-preview.js';
import { RefusedRows, RunDialog, useInsertRun } from './insert-run.js';
import { completeChoices, createCommand, type NewFromFile, nothingChosen } from './new-from-file.js';
import { NewFromFileFields } from './new-from-file-fields.js';
import { type FileDestination, headerOf, rowsOfFile } from './planned-file.js';
import type { FileChoices } from './source-file.js';
import { useFoundFile, useInspectedFile } from './use-planned-file.js';

/** Shows the dialog. What was created is shown when it is closed. */
export function CreateFromFile(props: CreateProps) {
  const { keyspace, over, onCreated } = props;
  const [created, setCreated] = useState<string>();
  const form = useFileForm(props.taken, created !== undefined);
  const { kind, name } = form.complete;
  const planned = form.found.value?.planned;
  const { run, command, start } = useCreation(keyspace, form, created, (thing) => {
    setCreated(thing);
    onCreated();
  });
  const close = () => {
    if (created !== undefined) onCreated();
    if (created !== undefined && over.isShown()) goTo(['data', keyspace, name]);
    else over.close();
  };
  return (
    <RunDialog
      {...{ run, created }}
      thing={kind === 'table' ? 'row' : 'document'}
      title="Create from a file"
      problem={form.inspected.failure ?? form.found.failure}
      action={actionOf(planned?.rows, kind, created)}
      isReady={command !== undefined && typeof command !== 'string'}
      isBusy={form.inspected.isReading || form.found.isReading}
      onStart={() => void start()}
      onClose={close}
    >
      <RefusedRows
        refused={run.refused}
        name={stemOf(form.file?.name ?? name)}
        format={planned?.format ?? 'csv'}
        header={planned === undefined ? undefined : headerOf(planned)}
      />
      <FormFields form={form} isDisabled={run.isRunning || created !== undefined} />
      {typeof command === 'string' ? (
        <p class="hint">{command}</p>
      ) : (
        command !== undefined && <CommandSent command={command} />
      )}
    </RunDialog>
  );
}

type FileForm = ReturnType<typeof useFileForm>;

/** The run that creates the table or collection, once, and inserts the rows. */
function useCreation(
  keyspace: string,
  form: FileForm,
  created: string | undefined,
  onCreated: (thing: string) => void,
) {
  const { chosen, complete } = form;
  const { kind, name } = complete;
  const planned = form.found.value?.planned;
  const run = useInsertRun({ keyspace, name, kind });
  const command =
    planned === undefined ? undefined : createCommand(keyspace, planned, complete, chosen.collection);
  const start = () =>
    run.start(async (signal) => {
      if (planned === undefined || command === undefined || typeof command === 'string')
        throw new Error('Choose a file first.');
      if (created === undefined) {
        const advice = 'Choose another name, or insert the file there.';
        await createNew({ keyspace, name, command, advice }, signal);
        onCreated(`${kind} ${name}`);
        if (signal.aborted) showToast(`Created the ${kind} ${name}, without rows: that was stopped.`);
        signal.throwIfAborted();
      }
      return { total: planned.rows, rows: () => rowsOfFile(planned, signal) };
    });
  return { run, command, start };
}

/** Shows the choices, which do not change any more after the creation. */
function FormFields({ form, isDisabled }: { readonly form: FileForm; readonly isDisabled: boolean }) {
  const { file, choices, chosen, setChosen, complete, inspected, found } = form;
  return (
    <fieldset class="form" disabled={isDisabled}>
      <CreateWays chosen="File" />
      <FileInput
        {...{ file, choices }}
        inspected={inspected.value}
        onChoose={form.chooseFile}
        onChange={form.setChoices}
      />
      {inspected.value !== undefined && (
        <NewFromFileFields
          {...{ chosen, complete }}
          inspected={inspected.value}
          found={found.value}
          onChange={setChosen}
        />
      )}
      {found.value !== undefined && (
        <FilePreview
          found={found.value}
          types={chosen.types}
          onTypes={(types) => setChosen({ ...chosen, types })}
        />
      )}
    </fieldset>
  );
}

function actionOf(
  rows: number | undefined,
  kind: FileDestination['kind'],
  created: string | undefined,
): string {
  if (rows === undefined) return 'Create and insert';
  const inserted = counted(rows, kind === 'table' ? 'row' : 'document');
  return created === undefined ? `Create and insert ${inserted}` : `Insert ${inserted}`;
}

/** What is chosen, and what is read of the file because of it. */
function useFileForm(taken: readonly string[], isCreated: boolean) {
  const [file, setFile] = useState<File>();
  const [choices, setChoices] = useState<FileChoices>({});
  const [chosen, setChosen] = useState<NewFromFile>(nothingChosen);
  // JSON is for a collection, and CSV has no values that depend on it.
  const inspected = useInspectedFile(file, 'document', choices);
  // A link can open the form before the names are loaded. A list that is loaded after the creation has the new name,
  // which must not change then.
  const known = useRef<readonly string[]>([]);
  if (!isCreated && taken.join() !== known.current.join()) known.current = taken;
  const names = useMemo(() => new Set(known.current), [known.current]);
  const { value } = inspected;
  const complete = useMemo(() => completeChoices(value, chosen, names), [value, chosen, names]);
  const destination = useMemo(
    (): FileDestination => ({ kind: complete.kind, name: complete.name, existing: undefined }),
    [complete],
  );
  const found = useFoundFile(value, destination, complete);
  const chooseFile = (next: File | undefined) => {
    setChosen(nothingChosen);
    setFile(next);
  };
  return { file, chooseFile, choices, setChoices, chosen, setChosen, inspected, complete, found };
}
