// What is loaded, as far as it is known: the last value, why loading failed, or that it is under way.
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../net/use-loaded.js';
import { FailureNotice, Loading } from './notice.js';

/** Shows the value with `children`. It stays below the reason when loading again has failed. */
export function Shown<T>({
  loaded: { value, failure, reload },
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {value === undefined && failure === undefined && <Loading />}
      {value !== undefined && children(value)}
    </>
  );
}
