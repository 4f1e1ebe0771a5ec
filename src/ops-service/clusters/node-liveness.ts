// Decides from our probes and from the reports of other nodes whether a node is up or down.

/** The probes of a node, and the reports of other nodes about it. */
export interface NodeProbes {
  /** Consecutive failures of this server's probes until now. */
  readonly failedInARow: number;
  /** Probes of this server since the start of the process. */
  readonly count: number;
  /** The number of other nodes that answer us and report what they see of it. */
  readonly otherCount: number;
  /** How many of these see it alive, and how many see it dead. */
  readonly seenAliveBy: number;
  readonly seenDeadBy: number;
}

/** The number of consecutive failures, and of probes after a start, that is needed for a decision. */
const enoughProbes = 3;

/**
 * The state of a node whose last known state is `before`. It is down if three probes failed in a row and no majority of
 * the others sees it alive; or if at least two others answer, more than half of them see it dead, and a probe failed.
 * One observer alone never decides. A node known before the start changes only after three new probes.
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
