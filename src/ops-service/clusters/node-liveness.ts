// Decides from probes and from what the other nodes see whether a node is up or down.

/** What probes and other nodes report of a node. */
export interface NodeProbes {
  /** Probes of this server that failed since the last one that did not. */
  readonly failedInARow: number;
  /** Probes of this server since the start of the process. */
  readonly count: number;
  /** Nodes beside this one that answer us and say what they see of it. */
  readonly otherCount: number;
  /** How many of these see it alive, and how many see it dead. */
  readonly seenAliveBy: number;
  readonly seenDeadBy: number;
}

/** Failures in a row, and fresh probes after a start, that decide. */
const enoughProbes = 3;

/**
 * The state of a node whose last known state is `before`. Down: three probes failed in a row and no majority of the
 * others sees it alive; or at least two others answer, more than half of them see it dead, and a probe failed.
 * One observer alone never overrules the rest. A node known before the start changes only after three fresh probes.
 */
export function decideNodeState(
  before: 'up' | 'down' | 'unknown',
  probes: NodeProbes,
  isKnownBeforeStart: boolean,
): 'up' | 'down' | 'unknown' {
  if (isKnownBeforeStart && before !== 'unknown' && probes.count < enoughProbes) return before;
  const { failedInARow, otherCount, seenAliveBy, seenDeadBy } = probes;
  const isSeenAlive = seenAliveBy * 2 > otherCount;
  const isSeenDead = otherCount >= 2 && seenDeadBy * 2 > otherCount;
  if (failedInARow >= enoughProbes && !isSeenAlive) return 'down';
  if (failedInARow >= 1 && isSeenDead) return 'down';
  return failedInARow === 0 && probes.count > 0 ? 'up' : before;
}
