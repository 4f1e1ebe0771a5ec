// The states that a restored server may have, judged by what its writers noted.

/** A command that a writer sent after the reply to the one before. */
export interface Change {
  /** In milliseconds since 1970, by the clock of this machine; that of the last try. */
  sentMs: number;
  /** Undefined if the connection was lost before the reply, or the reply says that the change may be lost. */
  acknowledgedMs: number | undefined;
  /** What the keys have afterwards; undefined for nothing. All of them change at once. */
  readonly values: readonly (readonly [key: string, value: string | undefined])[];
}

/** One that writes keys which nobody else writes. */
export interface RecordedWriter {
  readonly name: string;
  readonly kind: 'rows' | 'documents' | 'tables';
  readonly changes: Change[];
}

/** A restored state: what each writer has in it, by key. */
export type FoundState = readonly (readonly [RecordedWriter, ReadonlyMap<string, string>])[];

/** Between which changes a restored state must be, in milliseconds since 1970. */
export interface WantedMoment {
  /** Every change that was acknowledged up to this moment is there. */
  readonly hasAcknowledgedUntilMs: number;
  /** No change that was sent after this moment is there. */
  readonly lacksSentAfterMs: number;
}

/**
 * What is wrong with a restored state, in words. Each writer must have exactly its first changes, and those of all
 * writers must be the state of one moment.
 */
export function findWrongStates(found: FoundState, wanted: WantedMoment): readonly string[] {
  const wrong: string[] = [];
  let [latestSent, earliestLost] = [
    { ms: Number.NEGATIVE_INFINITY, name: '' },
    { ms: Number.POSITIVE_INFINITY, name: '' },
  ];
  for (const [writer, state] of found) {
    const { name } = writer;
    const counts = countsOfState(writer, state);
    const problems = counts.map((count) => problemOfCount(writer, count, wanted));
    const [least, most] = [counts[0], counts.at(-1)];
    if (least === undefined || most === undefined) {
      wrong.push(`${name}: what is there is the state after none of its ${writer.changes.length} changes`);
      continue;
    }
    if (problems.every((problem) => problem !== undefined)) wrong.push(`${name}: ${problems[0]}`);
    const sentMs = writer.changes[least - 1]?.sentMs ?? Number.NEGATIVE_INFINITY;
    if (sentMs > latestSent.ms) latestSent = { ms: sentMs, name };
    const lostMs = writer.changes[most]?.acknowledgedMs ?? Number.POSITIVE_INFINITY;
    if (lostMs < earliestLost.ms) earliestLost = { ms: lostMs, name };
  }
  if (latestSent.ms > earliestLost.ms)
    wrong.push(
      `states of two moments: ${latestSent.name} has a change that was sent ${latestSent.ms - earliestLost.ms} ms ` +
        `after ${earliestLost.name} got the reply to one that is lost`,
    );
  return wrong;
}

/** What is wrong if a writer has its first `count` changes. */
function problemOfCount(
  { changes }: RecordedWriter,
  count: number,
  wanted: WantedMoment,
): string | undefined {
  const { hasAcknowledgedUntilMs, lacksSentAfterMs } = wanted;
  const lost = changes
    .slice(count)
    .filter(({ acknowledgedMs = Number.POSITIVE_INFINITY }) => acknowledgedMs <= hasAcknowledgedUntilMs);
  if (lost.length > 0)
    return (
      `${lost.length} acknowledged changes are lost; the first was acknowledged ` +
      `${hasAcknowledgedUntilMs - (lost[0]?.acknowledgedMs ?? 0)} ms before the wanted moment`
    );
  const laterMs = (changes[count - 1]?.sentMs ?? Number.NEGATIVE_INFINITY) - lacksSentAfterMs;
  return laterMs > 0 ? `a change is there that was sent ${laterMs} ms later` : undefined;
}

/** Forgets the changes of a writer that a restored state does not have. */
export function keepState(writer: RecordedWriter, state: ReadonlyMap<string, string>): void {
  writer.changes.length = countsOfState(writer, state).at(-1) ?? writer.changes.length;
}

/** After how many of its changes a writer has a state, ascending. */
export function countsOfState(
  { changes }: RecordedWriter,
  state: ReadonlyMap<string, string>,
): readonly number[] {
  const different = new Set(state.keys());
  const counts = different.size === 0 ? [0] : [];
  for (const [at, { values }] of changes.entries()) {
    for (const [key, value] of values) {
      if (state.get(key) === value) different.delete(key);
      else different.add(key);
    }
    if (different.size === 0) counts.push(at + 1);
  }
  return counts;
}
