// Counts the garbage collections of this thread.
import { constants, PerformanceObserver } from 'node:perf_hooks';

/** Collections of one kind since the start, and their duration in milliseconds. */
export interface CollectionFigures {
  readonly count: number;
  readonly totalMs: number;
}

/** Minor collections are of the young generation, major ones of the whole heap. */
export interface Collections {
  readonly minor: CollectionFigures;
  readonly major: CollectionFigures;
}

let counting: (() => Collections) | undefined;

/**
 * Returns the counts since the first call on this thread, which all callers share: an observer cannot be shared out to
 * the servers of a process, and each one would cost every collection. Does not keep the process alive.
 */
export function countCollections(): () => Collections {
  counting ??= observeCollections();
  return counting;
}

function observeCollections(): () => Collections {
  const counted = { minor: { count: 0, totalMs: 0 }, major: { count: 0, totalMs: 0 } };
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries()) {
      // Entries of the type `gc` carry their kind.
      const { kind } = detail as { readonly kind: number };
      const sort = kind === constants.NODE_PERFORMANCE_GC_MAJOR ? counted.major : counted.minor;
      if (kind !== constants.NODE_PERFORMANCE_GC_MAJOR && kind !== constants.NODE_PERFORMANCE_GC_MINOR)
        continue;
      sort.count += 1;
      sort.totalMs += duration;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => structuredClone(counted);
}
