// A run that inserts many: how far it is, what was refused, and the files of that.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { DataTable } from '../parts/data-table.js';
import { Dialog } from '../parts/dialog.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { saveFile } from '../state/save-file.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import type { Target } from './command.js';
import {
  type InsertCounts,
  insertRows,
  type NewRow,
  noneDone,
  type RefusedRow,
  SentRows,
} from './insert-batches.js';

/** A run stops at this number of refused rows, or of their characters: they are in memory until they are saved. */
const mostRefused = 100_000;
const mostRefusedCharacters = 64 * 1024 * 1024;
const mostListed = 100;

/** What is inserted. */
export interface RowSource {
  /** The rows from the first one on, the same each time. */
  readonly rows: () => AsyncIterable<readonly NewRow[]>;
  readonly total: number;
}

/**
 * A run, and what came of it. `source` is read before the first batch; its error is the failure of the run. Closing the
 * form stops the run, and a short message says how far it was. `forget`: what is inserted next is something else.
 */
export function useInsertRun(target: Target) {
  const [counts, setCounts] = useState<InsertCounts>(noneDone);
  const [total, setTotal] = useState<number>();
  const [isDone, setDone] = useState(false);
  const refused = useRef<RefusedRow[]>([]);
  const characters = useRef(0);
  const past = useRef<SentRows | undefined>(undefined);
  const task = useTask<'insert'>();
  const { stop } = task;
  useEffect(() => stop, [stop]);
  const forget = () => {
    task.forget();
    refused.current = [];
    characters.current = 0;
    past.current = undefined;
    setCounts(noneDone);
    setTotal(undefined);
    setDone(false);
  };
  const keep = (row: RefusedRow) => {
    refused.current.push(row);
    characters.current += row.reason.length + (row.original?.length ?? 0);
  };
  const start = (source: (signal: AbortSignal) => Promise<RowSource>) =>
    task.run('insert', async (signal) => {
      let latest = counts;
      const onCounts = (next: InsertCounts) => {
        latest = next;
        setCounts(next);
        if (refused.current.length < mostRefused && characters.current < mostRefusedCharacters) return;
        throw new Error(
          `${counted(refused.current.length, 'row')} were refused: save them, and correct what they have in common.`,
        );
      };
      const { rows, total: all } = await source(signal);
      setTotal(all);
      past.current ??= new SentRows();
      const progress = { begin: counts, past: past.current, onRefused: keep, onCounts };
      try {
        await insertRows(rows(), { target, ...progress, signal });
      } catch (error) {
        if (signal.aborted && !task.isShown()) showToast(stoppedText(latest, all));
        throw error;
      }
      setDone(true);
      return undefined;
    });
  return {
    ...{ counts, total, isDone, start, stop, forget },
    failure: task.failure,
    isRunning: task.running !== undefined,
    refused: refused.current,
  };
}

/** How far a run was when its form was closed. */
function stoppedText({ done, inserted, refused }: InsertCounts, total: number): string {
  const ofRefused = refused === 0 ? '' : ` and refused ${refused.toLocaleString()}`;
  const left = Math.max(0, total - done).toLocaleString();
  return `Inserted ${inserted.toLocaleString()}${ofRefused}, then stopped: ${left} are left.`;
}

/** A run, as `useInsertRun` returns it. */
export type InsertRunState = ReturnType<typeof useInsertRun>;

/** The dialog of a run, with the buttons that begin, stop and continue it. */
export function RunDialog(props: {
  readonly run: InsertRunState;
  readonly title: string;
  /** What is inserted: `row` or `document`. */
  readonly thing: string;
  /** The words of the button. */
  readonly action: string;
  /** Whether there is something to insert. */
  readonly isReady: boolean;
  readonly isBusy?: boolean;
  /** What was created for the rows, and remains: `table books`. */
  readonly created?: string | undefined;
  /** Why nothing can be inserted. It is newer than the failure of a run, so it is shown in place of that. */
  readonly problem?: unknown;
  readonly children: ComponentChildren;
  readonly onStart: () => void;
  readonly onClose: () => void;
}) {
  const { run, thing, created, isReady, onClose } = props;
  const { counts, isDone, isRunning } = run;
  const problem = props.problem ?? run.failure;
  return (
    <Dialog
      title={props.title}
      isWide
      onClose={onClose}
      onSubmit={props.onStart}
      isSending={isRunning}
      message={
        <>
          {problem !== undefined && !isRunning && <FailureNotice failure={problem} />}
          <RunNotice {...{ run, thing, created }} />
        </>
      }
      actions={
        <>
          <Button onPress={isRunning ? run.stop : onClose}>
            {isRunning ? 'Stop' : isDone || created !== undefined ? 'Close' : 'Cancel'}
          </Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={isRunning || props.isBusy === true}
            // What is inserted is not inserted again by a second press.
            isDisabled={isDone || !isReady}
          >
            {counts.done > 0 && !isDone ? 'Continue' : props.action}
          </Button>
        </>
      }
    >
      {props.children}
    </Dialog>
  );
}

/** Says how far the run is, and at its end, also beside its failure, what was created and inserted. */
function RunNotice(props: {
  readonly run: InsertRunState;
  readonly thing: string;
  readonly created: string | undefined;
}) {
  const { run, thing, created } = props;
  const { counts, total, isDone, isRunning } = run;
  if (isRunning) {
    return (
      <div class="stack" role="status">
        <label class="field">
          <span>
            {total === undefined
              ? 'Reading…'
              : `${counts.done.toLocaleString()} of ${counted(total, thing)} are done.`}
          </span>
          <progress max={total ?? 1} {...(total === undefined ? {} : { value: counts.done })} />
        </label>
      </div>
    );
  }
  const isBegun = counts.done > 0 || isDone;
  if (!isBegun && created === undefined) return null;
  const parts = [
    ...(created === undefined ? [] : [`Created the ${created}.`]),
    `Inserted ${counted(counts.inserted, thing)}.`,
    ...(counts.replaced === 0
      ? []
      : [`${counts.replaced.toLocaleString()} of them replaced other rows of the file with the same key.`]),
    ...(counts.known === 0
      ? []
      : [`${counts.known.toLocaleString()} with the same content were there already.`]),
    ...(counts.refused === 0 ? [] : [`Refused ${counts.refused.toLocaleString()}.`]),
    ...(isDone || total === undefined
      ? []
      : [`Stopped: ${Math.max(0, total - counts.done).toLocaleString()} are left.`]),
  ];
  return (
    <Notice
      kind={counts.refused + counts.replaced > 0 || !isDone ? 'warning' : 'info'}
      title={parts.join(' ')}
    />
  );
}

/** The rows that were refused, with the reason of each. */
export function RefusedRows(props: {
  readonly refused: readonly RefusedRow[];
  /** The name of the files, without their end. */
  readonly name: string;
  readonly format: 'csv' | 'ndjson';
  /** The first line of a file of refused rows. */
  readonly header?: string | undefined;
}) {
  const { refused, name, format, header } = props;
  if (refused.length === 0) return null;
  const originals = refused.flatMap(({ original }) => (original === undefined ? [] : [`${original}\n`]));
  const more = refused.length - mostListed;
  return (
    <section class="stack">
      <h3>Refused</h3>
      <DataTable
        label="Refused rows"
        columns={[
          { title: 'Line', kind: 'number', isNamed: true, cell: ({ line }) => line.toLocaleString() },
          { title: 'Why', kind: 'wide', cell: ({ reason }) => reason },
        ]}
        rows={refused.slice(0, mostListed).map((row, at) => ({ ...row, at }))}
        keyOf={({ at }) => String(at)}
      />
      {more > 0 && <p class="muted">{`${more.toLocaleString()} more are in the files.`}</p>}
      <div class="button-row">
        {originals.length > 0 && (
          <Button
            icon="download"
            onPress={() =>
              saveFile(
                `${name}.refused.${format}`,
                format === 'csv' ? 'text/csv' : 'application/x-ndjson',
                header === undefined ? originals : [`${header}\n`, ...originals],
              )
            }
          >
            Save what was refused
          </Button>
        )}
        <Button
          icon="download"
          onPress={() =>
            saveFile(
              `${name}.reasons.txt`,
              'text/plain',
              refused.map(({ line, reason }) => `line ${line}: ${reason}\n`),
            )
          }
        >
          Save the reasons
        </Button>
      </div>
    </section>
  );
}
