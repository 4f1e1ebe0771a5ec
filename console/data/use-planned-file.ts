// Reads a file that was chosen, and plans it again after each change of what is said about it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ValueForm } from '../../src/files/extended-json.js';
import type { NewRow } from './insert-batches.js';
import {
  type FileDestination,
  type PlannedFile,
  plannedFile,
  type RowChoices,
  rowsOfFile,
} from './planned-file.js';
import { type FileChoices, type InspectedFile, inspectFile } from './source-file.js';

/** Rows that are shown before anything is inserted. */
const mostShown = 5;

/** A file with its plan. */
export interface FoundFile {
  readonly planned: PlannedFile;
  /** The first rows, as they would be inserted. */
  readonly first: readonly NewRow[];
}

/** What was made of an input. */
interface Reading<Value> {
  /** The last value stays while the next one of the same file is read. It is undefined after a failure. */
  readonly value?: Value;
  readonly failure?: unknown;
  readonly isReading: boolean;
}

/** Reads the whole file, and reads it again when the file or `choices` changes. */
export function useInspectedFile(
  file: File | undefined,
  form: ValueForm,
  choices: FileChoices,
): Reading<InspectedFile> {
  const input = useMemo(
    () => (file === undefined ? undefined : { file, form, choices }),
    [file, form, choices],
  );
  return useReading(input, inspect);
}

function inspect(
  { file, form, choices }: { readonly file: File; readonly form: ValueForm; readonly choices: FileChoices },
  signal: AbortSignal,
): Promise<InspectedFile> {
  return inspectFile(file, form, choices, signal);
}

/** Plans the file and reads its first rows. It does so again when one of its inputs changes. */
export function useFoundFile(
  inspected: InspectedFile | undefined,
  destination: FileDestination,
  choices: RowChoices,
): Reading<FoundFile> {
  const input = useMemo(
    () => (inspected === undefined ? undefined : { file: inspected.file, inspected, destination, choices }),
    [inspected, destination, choices],
  );
  return useReading(input, findFirst);
}

async function findFirst(
  input: {
    readonly inspected: InspectedFile;
    readonly destination: FileDestination;
    readonly choices: RowChoices;
  },
  signal: AbortSignal,
): Promise<FoundFile> {
  const planned = plannedFile(input.inspected, input.destination, input.choices);
  const first: NewRow[] = [];
  for await (const rows of rowsOfFile(planned, signal)) {
    first.push(...rows.slice(0, mostShown - first.length));
    if (first.length === mostShown) break;
  }
  return { planned, first };
}

/** What `read` makes of the input. Without an input it reads nothing. */
function useReading<Input extends { readonly file: File }, Value>(
  input: Input | undefined,
  read: (input: Input, signal: AbortSignal) => Promise<Value>,
): Reading<Value> {
  const [made, setMade] = useState<{
    readonly of?: Input;
    readonly value?: Value;
    readonly failure?: unknown;
  }>({});
  useEffect(() => {
    if (input === undefined) return undefined;
    const { signal, abort } = abortable();
    read(input, signal).then(
      (value) => signal.aborted || setMade({ of: input, value }),
      (failure: unknown) => signal.aborted || setMade({ of: input, failure }),
    );
    return abort;
  }, [input]);
  if (input === undefined) return { isReading: false };
  const { of, ...found } = made;
  if (of?.file !== input.file) return { isReading: true };
  return { ...found, isReading: of !== input };
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
