// The buttons below a log that is shown a page at a time, the newest entries first.
import { Button } from '../parts/button.js';
import { changeQuery, place } from '../state/url-state.js';

/** The entries of a page. */
export const pageSize = 200;

/** The time, in microseconds, that the entries of the page are not newer than; undefined for the newest page. */
export function olderThanInAddress(): string | undefined {
  return place.value.query['before'];
}

/** Shows the next older page, or the newest again. */
export function PageButtons({
  entries,
}: {
  /** The entries of the page that is shown; their times are in microseconds. */
  readonly entries: readonly { readonly time: string }[] | undefined;
}) {
  const show = (before: string | undefined) => changeQuery({ before }, true);
  const last = entries?.at(-1);
  return (
    <div class="button-row">
      {olderThanInAddress() !== undefined && <Button onPress={() => show(undefined)}>Newest</Button>}
      {last !== undefined && entries?.length === pageSize && (
        <Button onPress={() => show(String(BigInt(last.time) - 1n))}>Older</Button>
      )}
    </div>
  );
}
