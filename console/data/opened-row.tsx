// The row or document that the address names: its key is read from there, and the row by its key.
import { useRef } from 'preact/hooks';
import type { JsonObject } from '../json/exact-json.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { Dialog, MissingDialog } from '../parts/dialog.js';
import { FailureNotice, Loading } from '../parts/notice.js';
import { longestSubject } from '../state/url-state.js';
import { documentsOf, sendCommand, type Target } from './command.js';
import { editedOf, findOneCommand } from './row-changes.js';
import { RowEditor } from './row-dialog.js';
import { identityTextOf, readIdentity } from './row-identity.js';
import type { Item } from './schema.js';

interface OpenedRowProps {
  readonly item: Item;
  readonly target: Target;
  /** The identity as JSON; empty in a link of a row whose key is too long for an address. */
  readonly subject: string;
  readonly isInAddress: boolean;
  /** The rows that the list shows. */
  readonly rows: readonly JsonObject[];
  /** Searches for what is like a row; undefined where nothing has vectors. */
  readonly onSimilar: ((row: JsonObject) => void) | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Shows it in a dialog, or why it cannot be shown. */
export function OpenedRow(props: OpenedRowProps) {
  const { item, subject, onClose } = props;
  const thing = thingOf(item);
  if (subject === '')
    return (
      <MissingDialog title={`This link does not name the ${thing}`} onClose={onClose}>
        Its key is longer than the {longestSubject.toLocaleString()} characters that fit into an address. Find
        it in the list.
      </MissingDialog>
    );
  const identity = readIdentity(item, subject);
  if (typeof identity === 'string')
    return (
      <MissingDialog title={`This link names no ${thing}`} onClose={onClose}>
        {identity}
      </MissingDialog>
    );
  return <LoadedRow {...props} identity={identity} />;
}

function thingOf({ kind }: Item): string {
  return kind === 'table' ? 'row' : 'document';
}

/** A row of the list is whole. A document is read, with what replies leave out, and so is a row that is not listed. */
function LoadedRow(props: OpenedRowProps & { readonly identity: JsonObject }) {
  const { item, target, subject, identity, rows, onSimilar, onDone, onClose } = props;
  // What the form began with stays, also when the list or the row is loaded again.
  const shown = useRef<JsonObject | undefined>(undefined);
  if (item.kind === 'table')
    shown.current ??= rows.find((row) => identityTextOf(item, row) === identityTextOf(item, identity));
  const loaded = useLoaded(shown.current === undefined ? subject : undefined, async (signal) => {
    const reply = await sendCommand(findOneCommand(item, target, identity), signal);
    return documentsOf(reply)[0] ?? 'gone';
  });
  const { value, failure, reload } = loaded;
  if (value !== 'gone') shown.current ??= value;
  const thing = thingOf(item);
  if (shown.current !== undefined)
    return (
      <RowEditor
        {...{ item, target, onDone, onClose }}
        row={editedOf(shown.current)}
        onSimilar={onSimilar && (() => onSimilar(identity))}
        note={
          props.isInAddress
            ? undefined
            : `The key is too long for an address: a link to this page does not open the ${thing}.`
        }
      />
    );
  if (value === 'gone')
    return (
      <MissingDialog title={`This ${thing} is not there`} onClose={onClose}>
        It may have been deleted since it was listed, or since this link was made. Its key is{' '}
        <code>{identityTextOf(item, identity)}</code>.
      </MissingDialog>
    );
  return (
    <Dialog
      title={`The ${thing}`}
      isWide
      onClose={onClose}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      {failure === undefined ? <Loading /> : <FailureNotice failure={failure} onRetry={reload} />}
    </Dialog>
  );
}
