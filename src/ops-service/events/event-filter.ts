// Which events of the log are wanted.
import type { Event } from './event.js';

/** A filter: an event has to fit all of its parts. */
export interface EventFilter {
  /** The number of the lowest level. */
  readonly leastLevel: number;
  /** The codes of actions; undefined for all. */
  readonly actions: readonly number[] | undefined;
  /** The address of the source or the target node; undefined for all. */
  readonly node: string | undefined;
}

/** Whether an event fits. `selectFitting` makes the same comparison in the file. */
export function fits({ level, action, source_node, target_node }: Event, filter: EventFilter): boolean {
  const { leastLevel, actions, node } = filter;
  if (level < leastLevel || actions?.includes(action) === false) return false;
  return node === undefined || source_node === node || target_node === node;
}
