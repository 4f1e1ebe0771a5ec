// What is open in one entry of the history and in no link, as the question before something is deleted.
import { useEffect, useState } from 'preact/hooks';
import { entryNumber } from './url-state.js';

/**
 * A value that is there until it is unset, or another place is shown. What unsets it unsets the value that it was made
 * beside: a question that was closed and is answered late leaves the one that is open by then.
 */
export function useEntryState<Value>() {
  const at = entryNumber.value;
  const [kept, keep] = useState<{ readonly at: number; readonly value: Value }>();
  useEffect(() => () => keep(undefined), [at]);
  const set = (value: Value | undefined) =>
    keep((now) => (value !== undefined ? { at, value } : now === kept ? undefined : now));
  return [kept?.at === at ? kept.value : undefined, set] as const;
}
