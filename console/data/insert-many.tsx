// Inserts many rows or documents that are pasted as JSON.
import { useState } from 'preact/hooks';
import { inspectJson } from '../../src/files/inspect-json.js';
import { TextArea } from '../parts/field.js';
import type { Target } from './command.js';
import { RefusedRows, RunDialog, useInsertRun } from './insert-run.js';
import { InsertWays } from './insert-ways.js';
import { columnTypes, jsonRows } from './new-rows.js';
import type { Item } from './schema.js';

/** A larger text is better read from a file, in parts. */
const mostPasted = 16 * 1024 * 1024;
/** The text in messages. */
const textName = 'the text,';

/** The form of several. */
export interface InsertManyProps {
  readonly item: Item;
  readonly target: Target;
  /** Closes the form; `isChanged` says whether something was inserted. */
  readonly onClose: (isChanged: boolean) => void;
}

/** Shows the form. */
export function InsertMany({ item, target, onClose }: InsertManyProps) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  const [text, setText] = useState('');
  const run = useInsertRun(target);
  const { counts, isRunning } = run;
  const isTooLong = text.length > mostPasted;
  const insert = () =>
    run.start(async () => {
      // Nothing of a text is inserted if a mistake ends it.
      const { rows: total } = await inspectJson(pieceOf(text), thing, textName);
      if (total === 0) throw new Error(`Type or paste the ${thing}s first.`);
      const form = { kind: item.kind, types: columnTypes(item), idFrom: undefined };
      return { total, rows: () => jsonRows(pieceOf(text), form, textName) };
    });
  return (
    <RunDialog
      {...{ run, thing }}
      title={`Insert ${thing}s`}
      action="Insert"
      isReady={!isTooLong && text.trim() !== ''}
      onStart={() => void insert()}
      onClose={() => onClose(counts.inserted > 0)}
    >
      <InsertWays item={item} chosen="Several" />
      <TextArea
        label={`JSON of the ${thing}s`}
        rows={14}
        isCode
        isReadOnly={isRunning}
        value={text}
        placeholder={'[{…}, {…}]'}
        problem={isTooLong ? 'The text has more than 16 MiB: choose File.' : undefined}
        hint={hintOf(item)}
        onChange={(next) => {
          setText(next);
          run.forget();
        }}
      />
      <RefusedRows refused={run.refused} name={item.name} format="ndjson" />
    </RunDialog>
  );
}

function hintOf({ kind }: Item): string {
  const forms = 'A list, one object a line, or one behind another, of any number. ';
  return kind === 'table'
    ? `${forms}A row with the key of another one replaces its columns.`
    : `${forms}A document without _id gets one of its content, so that inserting it again changes nothing.`;
}

async function* pieceOf(text: string): AsyncGenerator<string> {
  yield text;
}
