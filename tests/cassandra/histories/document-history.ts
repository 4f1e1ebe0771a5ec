// Checks what clients noted of documents: whether each change had effect as often as its reply says, and whether some
// order of the calls explains which values they met.
import type { RowBody } from '../../faults/data-client.js';
import { describeAnomaly, findAnomalies, type RegisterCall } from '../register-history.js';

/** What the reply says of a change: it has effect, it may have, or it has none. */
export type Outcome = 'stored' | 'unknown' | 'refused';

/** A mark that was sent to a document, beside an increment of its count. */
export interface SentMark {
  readonly document: string;
  readonly outcome: Outcome;
}

/** What a reply says of one document at a moment between its request and its reply, in milliseconds of one clock. */
export interface Observation {
  /** `end`: it had this value and was deleted. `lack`: it had another value, or was not there. */
  readonly kind: 'end' | 'lack' | 'absence' | 'presence';
  readonly key: string;
  /** The value of an `end` or a `lack`; null for an `absence` (no document was there) and a `presence` (one was). */
  readonly value: string | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly caller: string;
}

/** A change of a document from the value that it must have to another one. */
export interface ComparedChange {
  readonly key: string;
  readonly former: string;
  readonly value: string;
}

/** What the clients of a load noted. */
export interface DocumentNotes {
  /** By their texts, each of which was sent once. */
  readonly marks: ReadonlyMap<string, SentMark>;
  /** Writes of values, each of which was written at most once, and reads of values. */
  readonly calls: readonly RegisterCall[];
  readonly observations: readonly Observation[];
  /** Those that were acknowledged or may have been carried out. */
  readonly changes: readonly ComparedChange[];
}

/** What is wrong, each in words; `found`: all documents at the end. */
export function findWrongDocuments(notes: DocumentNotes, found: readonly RowBody[]): readonly string[] {
  const values = valuesOf(notes);
  return [
    ...wrongMarks(notes.marks, found),
    ...findAnomalies(notes.calls).map(describeAnomaly),
    ...wrongChanges(notes),
    ...wrongEnds(notes, values),
    ...notes.observations.flatMap((each) =>
      isExplained(each, values.get(each.key) ?? []) ? [] : [inWords(each)],
    ),
  ];
}

/** An observation in words. */
function inWords({ kind, key, value, startMs, endMs, caller }: Observation): string {
  const what = value === null ? kind : `${kind} of ${value}`;
  return `${what} in ${key} is not explained: ${caller}, ${startMs.toFixed(1)} to ${endMs.toFixed(1)} ms`;
}

function wrongMarks(marks: ReadonlyMap<string, SentMark>, found: readonly RowBody[]): readonly string[] {
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  for (const { _id, marks: stored = [], count = 0 } of found) {
    const texts = stored as readonly string[]; // the load stores nothing else there
    if (count !== texts.length) wrong.push(`${_id} has the count ${count} and ${texts.length} marks`);
    for (const text of texts) {
      if (marks.get(text)?.document !== _id) wrong.push(`${_id} has the mark ${text} of another document`);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  for (const [text, { document, outcome }] of marks) {
    const count = counts.get(text) ?? 0;
    const isRight = outcome === 'stored' ? count === 1 : outcome === 'refused' ? count === 0 : count <= 1;
    if (!isRight) wrong.push(`the mark ${text} of ${document} is ${outcome}, and is there ${count} times`);
  }
  return wrong;
}

/** A value of a document: when it can have been there, and when it certainly was. */
interface Lifetime {
  readonly value: string;
  /** Before it was nobody's. */
  writtenMs: number;
  /** The first and the last moment at which it is known to have been there: between them it was there all the time. */
  firstMs: number;
  lastMs: number;
  /** Behind it the value was gone. */
  goneMs: number;
}

/** The lifetimes of the values of each document. */
function valuesOf({ calls, observations }: DocumentNotes): ReadonlyMap<string, readonly Lifetime[]> {
  const keys = new Map<string, Map<string, Lifetime>>();
  const lifetimeOf = (key: string, value: string) => {
    const ofKey = keys.get(key) ?? new Map<string, Lifetime>();
    keys.set(key, ofKey);
    const unknown = { writtenMs: 0, firstMs: Infinity, lastMs: -Infinity, goneMs: Infinity };
    const lifetime = ofKey.get(value) ?? { value, ...unknown };
    ofKey.set(value, lifetime);
    return lifetime;
  };
  for (const { key, value, kind, startMs, endMs } of calls) {
    if (value === null) continue;
    const lifetime = lifetimeOf(key, value);
    lifetime.firstMs = Math.min(lifetime.firstMs, endMs);
    if (kind === 'write') lifetime.writtenMs = startMs;
    // A write whose outcome is unknown does not say that its value was there.
    if (endMs !== Infinity) lifetime.lastMs = Math.max(lifetime.lastMs, startMs);
  }
  for (const { kind, key, value, endMs } of observations) {
    if (kind !== 'end' || value === null) continue;
    const lifetime = lifetimeOf(key, value);
    lifetime.goneMs = Math.min(lifetime.goneMs, endMs);
  }
  return new Map([...keys].map(([key, ofKey]) => [key, [...ofKey.values()]]));
}

/** Whether there is a moment at which what was observed can have been so. */
function isExplained({ kind, value, startMs, endMs }: Observation, values: readonly Lifetime[]): boolean {
  switch (kind) {
    case 'end':
      return true; // a read of the value notes the same
    case 'presence':
      return values.some(({ writtenMs, goneMs }) => writtenMs < endMs && goneMs > startMs);
    case 'lack':
    case 'absence':
      return !values.some(
        (each) => (value === null || each.value === value) && each.firstMs < startMs && each.lastMs > endMs,
      );
  }
}

/** Values of which two changes made another one: one of them is lost, even if their calls overlap. */
function wrongChanges({ calls, changes }: DocumentNotes): readonly string[] {
  const seen = new Set(
    calls.filter(({ endMs }) => endMs !== Infinity).map(({ key, value }) => `${key} ${value}`),
  );
  const successors = new Map<string, string>();
  const wrong: string[] = [];
  for (const { key, former, value } of changes) {
    if (!seen.has(`${key} ${value}`)) continue;
    const other = successors.get(`${key} ${former}`);
    if (other !== undefined) wrong.push(`both ${other} and ${value} took the place of ${former} in ${key}`);
    successors.set(`${key} ${former}`, value);
  }
  return wrong;
}

/** Values that were deleted twice, or met behind their end. */
function wrongEnds(
  { calls, observations }: DocumentNotes,
  values: ReadonlyMap<string, readonly Lifetime[]>,
): readonly string[] {
  const ends = observations.filter(({ kind }) => kind === 'end');
  const texts = ends.map(({ key, value }) => `${key} with ${value}`);
  const twice = texts
    .filter((text, at) => texts.indexOf(text) !== at)
    .map((text) => `${text} is deleted twice`);
  const behind = calls.filter(({ key, value, kind, startMs }) => {
    const goneMs = values.get(key)?.find((each) => each.value === value)?.goneMs;
    return kind === 'read' && goneMs !== undefined && startMs > goneMs;
  });
  return [
    ...twice,
    ...behind.map(({ key, value, caller }) => `${caller} met ${key} with ${value} behind its end`),
  ];
}
