// Deletes all rows or documents that match the filter: says how many match before that, and what is left after it.

import { useEffect, useRef, useState } from 'preact/hooks';
import { isObject, type JsonObject, memberAt, parseJson, toCount, writeJson } from '../json/exact-json.js';
import { type Loaded, useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { CodeBlock } from '../parts/code-block.js';
import { counted } from '../parts/counted.js';
import { Dialog } from '../parts/dialog.js';
import { FailureNotice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { type Command, sendCommand, type Target } from './command.js';
import { CommandSent } from './command-shown.js';
import { countMatching, type ItemCount } from './item-counts.js';
import type { Item } from './schema.js';

interface Props {
  readonly item: Item;
  readonly target: Target;
  /** The filter as JSON. */
  readonly filter: string;
  /** Something was deleted, though not all: it was stopped, or it failed. */
  readonly onChanged: () => void;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks, with the number of what matches, and deletes. */
export function DeleteMatching({ item, target, filter: text, onChanged, onDone, onClose }: Props) {
  const thing = item.kind === 'table' ? 'row' : 'document';
  const filter = filterIn(text);
  const command: Command = { target, name: 'deleteMany', body: { filter } };
  const found = useLoaded(`matching ${text}`, (signal) => countMatching(item, target, filter, signal));
  const before = found.value;
  const { running, failure, run, stop, isShown } = useTask();
  const [isStopping, setStopping] = useState(false);
  const [deleted, setDeleted] = useState(0);
  const sum = useRef(0);
  useEffect(() => stop, []);
  const onDeleted = (more: number) => {
    sum.current += more;
    setDeleted(sum.current);
  };
  const partly = (): undefined => {
    setStopping(false);
    found.reload();
    onChanged();
    if (!isShown()) showToast(`Deleted ${counted(sum.current, thing)}, then stopped.`);
    return undefined;
  };
  const failed = (error: unknown) => {
    partly();
    throw error;
  };
  const remove = () =>
    run('save', async (signal) => {
      const end = await deleteAll(command, onDeleted, signal).catch(failed);
      if (end === 'stopped') return partly();
      // Deleted is what was deleted, also where it cannot be counted again.
      const left = await countMatching(item, target, filter).catch(() => undefined);
      showToast(outcome(thing, { before, sum: end === 'counted' ? sum.current : undefined, left }));
      return onDone;
    });
  const isBusy = running !== undefined;
  return (
    <Dialog
      title="Delete all that match the filter"
      onClose={onClose}
      onSubmit={() => void remove()}
      isSending={isBusy}
      message={failure !== undefined && <FailureNotice failure={failure} />}
      actions={
        <>
          <Button isDisabled={isStopping} onPress={isBusy ? () => stopOnce(setStopping, stop) : onClose}>
            {isStopping ? 'Stopping…' : isBusy ? 'Stop' : deleted > 0 ? 'Close' : 'Cancel'}
          </Button>
          <Button kind="danger" type="submit" isBusy={isBusy} isDisabled={before?.count === 0}>
            {isBusy && deleted > 0 ? `Deleted ${deleted.toLocaleString()}…` : actionOf(thing, before)}
          </Button>
        </>
      }
    >
      <Matching {...{ thing, found, item, command, filter }} deleted={isBusy ? 0 : deleted} />
    </Dialog>
  );
}

/** How many match, and the filter. `deleted`: how many an earlier run deleted. */
function Matching(props: {
  readonly thing: string;
  readonly found: Loaded<ItemCount>;
  readonly item: Item;
  readonly command: Command;
  readonly filter: JsonObject;
  readonly deleted: number;
}) {
  const { thing, found, item, command, filter, deleted } = props;
  return (
    <>
      <p role="status">
        <strong>
          {deleted > 0 && `Deleted ${counted(deleted, thing)}. `}
          {countText(thing, found)}
        </strong>
      </p>
      {found.value === undefined && found.failure !== undefined && (
        <FailureNotice failure={found.failure} onRetry={found.reload} />
      )}
      <p>
        Everything in {item.name} that matches this filter is deleted, also what has not been loaded here.
        This cannot be undone.
      </p>
      <CodeBlock text={writeJson(filter, 2)} />
      <CommandSent command={command} />
    </>
  );
}

/** Asks the task to stop; the button shows that until it has. */
function stopOnce(setStopping: (isStopping: boolean) => void, stop: () => void): void {
  setStopping(true);
  stop();
}

function filterIn(text: string): JsonObject {
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : {};
}

function countText(thing: string, { value, failure, isLoading }: Loaded<ItemCount>): string {
  if (value !== undefined && !isLoading) return matches(thing, value);
  return failure === undefined || isLoading ? 'Counting…' : '';
}

function matches(thing: string, { count, isLeast }: ItemCount): string {
  if (count === 0) return `No ${thing}s match.`;
  const verb = count === 1 ? 'matches' : 'match';
  return isLeast ? `At least ${counted(count, thing)} ${verb}.` : `${counted(count, thing)} ${verb}.`;
}

function actionOf(thing: string, found: ItemCount | undefined): string {
  if (found === undefined || found.isLeast || found.count === 0) return `Delete all ${thing}s that match`;
  return `Delete ${counted(found.count, thing)}`;
}

/**
 * Sends the command until nothing is left: of documents, each call deletes some. A table does not count what it
 * deletes. A call under way is not aborted: the server would finish it, and nobody would know what it deleted.
 * @throws RequestFailure
 */
async function deleteAll(
  command: Command,
  onDeleted: (count: number) => void,
  signal: AbortSignal,
): Promise<'counted' | 'uncounted' | 'stopped'> {
  for (;;) {
    const { status } = await sendCommand(command);
    const deleted = toCount(memberAt(status, 'deletedCount')) ?? -1;
    if (deleted < 0) return 'uncounted';
    onDeleted(deleted);
    if (memberAt(status, 'moreData') !== true) return 'counted';
    if (signal.aborted) return 'stopped';
  }
}

function outcome(
  thing: string,
  {
    before,
    sum,
    left,
  }: {
    readonly before: ItemCount | undefined;
    readonly sum: number | undefined;
    readonly left: ItemCount | undefined;
  },
): string {
  const known = before === undefined ? undefined : counted(before.count, thing);
  const done =
    sum !== undefined
      ? `Deleted ${counted(sum, thing)}.`
      : known === undefined
        ? 'Deleted what matched.'
        : `Deleted ${before?.isLeast === true ? 'at least ' : ''}${known}.`;
  if (left === undefined) return done;
  return left.count === 0 ? `${done} None match now.` : `${done} ${matches(thing, left)}`;
}
