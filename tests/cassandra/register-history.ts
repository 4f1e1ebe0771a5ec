// Checks a history of reads and writes of single rows: whether some order of the calls explains all that was read.

/** The text that a write stored in a row, or null for a row that is not there. */
export type SeenValue = string | null;

/** One call from its sending to its reply, in milliseconds of one clock. */
export interface RegisterCall {
  readonly key: string;
  readonly kind: 'write' | 'read';
  /** What was stored or found. All writes of a key have different values; at most one of them deletes the row. */
  readonly value: SeenValue;
  readonly startMs: number;
  /** Infinity for a write whose outcome is not known: it may take effect later, or never. */
  readonly endMs: number;
  /** Who called, for messages. */
  readonly caller: string;
}

/** What no order of the calls explains. */
export interface Anomaly {
  readonly kind: 'valueFromNowhere' | 'lostWrite' | 'readGoesBack';
  readonly key: string;
  /** The calls that contradict each other, in order of their beginning. */
  readonly calls: readonly RegisterCall[];
}

/** The calls with one value of a key: its write, if there is one, and the reads that found it. */
interface ValueCalls {
  readonly value: SeenValue;
  write: RegisterCall | undefined;
  /** The call that ended first: from then on the value was there. */
  firstEnd: RegisterCall;
  /** The call that began last: until then the value was not replaced. */
  lastStart: RegisterCall;
}

/**
 * What contradicts that each call took effect at one moment between its beginning and its end. With different values
 * it is enough to compare them in pairs (Gibbons and Korach, 1997): of two values each must not be there before the
 * other. Failed writes that had no effect, and failed reads, do not belong into the history. A row that is not there
 * before the first write must not be read in a history that deletes it.
 */
export function findAnomalies(calls: readonly RegisterCall[]): readonly Anomaly[] {
  const keys = new Map<string, RegisterCall[]>();
  for (const call of calls) {
    const ofKey = keys.get(call.key);
    if (ofKey === undefined) keys.set(call.key, [call]);
    else ofKey.push(call);
  }
  return [...keys].flatMap(([key, ofKey]) => anomaliesOf(key, valuesOf(key, ofKey)));
}

/** An anomaly for the message of a test. */
export function describeAnomaly({ kind, key, calls }: Anomaly): string {
  const lines = calls.map(({ caller, kind: what, value, startMs, endMs }) => {
    const span = `${startMs.toFixed(1)} to ${endMs === Number.POSITIVE_INFINITY ? '?' : endMs.toFixed(1)} ms`;
    return `  ${span}: ${caller} ${what === 'read' ? 'reads' : 'writes'} ${value ?? 'no row'}`;
  });
  return [`${kind} in ${key}:`, ...lines].join('\n');
}

function valuesOf(key: string, calls: readonly RegisterCall[]): readonly ValueCalls[] {
  const values = new Map<SeenValue, ValueCalls>();
  for (const call of calls) {
    const known = values.get(call.value);
    if (known === undefined) values.set(call.value, firstCall(call));
    else addCall(known, call);
  }
  const absent = values.get(null);
  const initial: RegisterCall = {
    ...{ key, kind: 'write', value: null, caller: 'the beginning' },
    ...{ startMs: Number.NEGATIVE_INFINITY, endMs: Number.NEGATIVE_INFINITY },
  };
  if (absent !== undefined && absent.write === undefined) addCall(absent, initial);
  return [...values.values()];
}

function firstCall(call: RegisterCall): ValueCalls {
  const write = call.kind === 'write' ? call : undefined;
  return { value: call.value, write, firstEnd: call, lastStart: call };
}

function addCall(known: ValueCalls, call: RegisterCall): void {
  if (call.kind === 'write') {
    if (known.write !== undefined) throw new Error(`${call.key} is written twice with ${call.value}`);
    known.write = call;
  }
  if (call.endMs < known.firstEnd.endMs) known.firstEnd = call;
  if (call.startMs > known.lastStart.startMs) known.lastStart = call;
}

function anomaliesOf(key: string, values: readonly ValueCalls[]): readonly Anomaly[] {
  const found = values.flatMap((value) => withoutSource(key, value));
  const sound = values.filter((value) => withoutSource(key, value).length === 0);
  for (const [at, one] of sound.entries()) {
    for (const other of sound.slice(at + 1)) {
      const [earlier, later] = one.firstEnd.endMs <= other.firstEnd.endMs ? [one, other] : [other, one];
      const isBefore = earlier.firstEnd.endMs < later.lastStart.startMs;
      if (isBefore && later.firstEnd.endMs < earlier.lastStart.startMs)
        found.push(contradiction(key, earlier, later));
    }
  }
  return found;
}

/** Values that were read though they were never written, or before that. */
function withoutSource(key: string, { write, firstEnd }: ValueCalls): readonly Anomaly[] {
  if (write !== undefined && firstEnd.endMs >= write.startMs) return [];
  const calls = write === undefined ? [firstEnd] : [firstEnd, write];
  return [{ kind: 'valueFromNowhere', key, calls }];
}

/** The earlier value was seen again after the later one was there. */
function contradiction(key: string, earlier: ValueCalls, later: ValueCalls): Anomaly {
  const calls = new Set([earlier.firstEnd, later.firstEnd, later.lastStart, earlier.lastStart]);
  return {
    kind: later.firstEnd.kind === 'write' ? 'lostWrite' : 'readGoesBack',
    key,
    calls: [...calls].sort((one, other) => one.startMs - other.startMs),
  };
}
