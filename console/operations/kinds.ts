// The kinds of things as the server describes them: forms, lists of choices and words are drawn from them.
import { signal } from '@preact/signals';
import type { DescribedKinds } from '../../src/descriptions/operations-kinds.js';
import { read } from '../net/ops-api.js';
import { type Loaded, useLoaded } from '../net/use-loaded.js';

const known = signal<DescribedKinds | undefined>(undefined);

/** Loads the kinds once for all screens. */
export function useKinds(): Loaded<DescribedKinds> {
  const loaded = useLoaded(known.value === undefined ? 'kinds' : undefined, async (aborted) => {
    known.value = await read<DescribedKinds>('console/kinds', aborted);
  });
  return { ...loaded, value: known.value };
}

/** The kinds, for the content of a `ClusterPage`, which is shown when they are loaded. */
export function kinds(): DescribedKinds {
  if (known.value === undefined) throw new Error('the kinds are not loaded');
  return known.value;
}

/** What the code of an event means. */
export function eventText(code: number): string {
  return kinds().events.find((kind) => kind.code === code)?.label ?? `code ${code}`;
}
