// What is open in one entry of the history and in no link, as the question before something is deleted.
import { useEffect, useState } from 'preact/hooks';
import { entryNumber } from './url-state.js';

/** A value that is there until it is unset, or another place is shown. */
export function useEntryState<Value>() {
  const at = entryNumber.value;
  const [kept, keep] = useState<{ readonly at: number; readonly value: Value }>();
  useEffect(() => () => keep(undefined), [at]);
  const set = (value: Value | undefined) => keep(value === undefined ? undefined : { at, value });
  return [kept?.at === at ? kept.value : undefined, set] as const;
}
