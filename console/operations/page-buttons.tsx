// The buttons below a log that is shown a page at a time, the newest entries first.
import { Button } from '../parts/button.js';

/** The entries of a page. */
export const pageSize = 200;

/** Shows the next older page, or the newest again. A page is chosen by the time that its entries are not newer than. */
export function PageButtons({
  entries,
  olderThan,
  onChoose,
}: {
  /** Of the page that is shown; their times are in microseconds. */
  readonly entries: readonly { readonly time: string }[] | undefined;
  readonly olderThan: string | undefined;
  readonly onChoose: (olderThan: string | undefined) => void;
}) {
  const last = entries?.at(-1);
  return (
    <div class="button-row">
      {olderThan !== undefined && <Button onPress={() => onChoose(undefined)}>Newest</Button>}
      {last !== undefined && entries?.length === pageSize && (
        <Button onPress={() => onChoose(String(BigInt(last.time) - 1n))}>Older</Button>
      )}
    </div>
  );
}
