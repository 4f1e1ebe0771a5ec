// The check of histories accepts what concurrency explains, and finds what it does not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.js';
import { describeAnomaly, findAnomalies, type RegisterCall, type SeenValue } from './register-history.js';

const write = (value: SeenValue, startMs: number, endMs = Number.POSITIVE_INFINITY): RegisterCall => ({
  ...{ key: 'k', kind: 'write', value, caller: 'a' },
  ...{ startMs, endMs },
});
const read = (value: SeenValue, startMs: number, endMs: number): RegisterCall => ({
  ...{ key: 'k', kind: 'read', value, caller: 'b' },
  ...{ startMs, endMs },
});
const kindsOf = (...calls: readonly RegisterCall[]) => findAnomalies(calls).map(({ kind }) => kind);

describe('findAnomalies', () => {
  const accepted: readonly (readonly [what: string, ...calls: RegisterCall[]])[] = [
    ['no calls'],
    ['a row that is not there before the first write', read(null, 0, 1), write('1', 2, 3), read('1', 4, 5)],
    ['writes one after another', write('1', 0, 1), write('2', 2, 3), read('2', 4, 5)],
    ['a write that is replaced before anyone reads it', write('1', 0, 1), write('2', 2, 3), write('3', 4, 5)],
    ['either order of two writes at the same time', write('1', 0, 5), write('2', 1, 4), read('1', 6, 7)],
    ['reads beside a write that find either value', ...beside()],
    ['a write of unknown outcome that never has effect', write('1', 0, 1), write('2', 2), read('1', 9, 10)],
    ['one that takes effect late', write('1', 0, 1), write('2', 2), read('1', 9, 10), read('2', 11, 12)],
    ['a deletion', write('1', 0, 1), write(null, 2, 3), read(null, 4, 5), write('2', 6, 7), read('2', 8, 9)],
    ['a deletion of unknown outcome', write('1', 0, 1), write(null, 2), read('1', 3, 4), read(null, 5, 6)],
  ];
  for (const [what, ...calls] of accepted)
    it(`accepts ${what}`, () => assert.deepEqual(kindsOf(...calls), []));

  const refused: readonly (readonly [what: string, kind: string, ...calls: RegisterCall[]])[] = [
    ['a write that was acknowledged and is gone', 'lostWrite', write('1', 0, 1), read(null, 2, 3)],
    ['an older value', 'lostWrite', write('1', 0, 1), write('2', 2, 3), read('1', 4, 5)],
    ['a deleted row', 'lostWrite', write('1', 0, 1), write(null, 2, 3), read('1', 4, 5)],
    ['a read that goes back', 'readGoesBack', ...goingBack()],
    ['a write that has effect twice', 'readGoesBack', ...twice()],
    ['a value that nobody wrote', 'valueFromNowhere', write('1', 0, 1), read('2', 2, 3)],
    ['a value before it was written', 'valueFromNowhere', read('1', 0, 1), write('1', 2, 3)],
  ];
  for (const [what, kind, ...calls] of refused)
    it(`finds ${what}`, () => assert.deepEqual(kindsOf(...calls), [kind]));

  it('shows the calls that contradict each other', () => {
    const [anomaly] = findAnomalies([write('1', 0, 1), write('2', 2, 3), read('1', 4, 5), read('1', 6, 7)]);
    assert.ok(anomaly);
    assert.equal(
      describeAnomaly(anomaly),
      'lostWrite in k:\n  0.0 to 1.0 ms: a writes 1\n  2.0 to 3.0 ms: a writes 2\n  6.0 to 7.0 ms: b reads 1',
    );
  });

  it('looks at each key alone', () => {
    const calls = [write('1', 0, 1), { ...read('2', 2, 3), key: 'l' }, { ...write('2', 0, 1), key: 'l' }];
    assert.deepEqual(kindsOf(...calls), []);
  });

  it('accepts every history of a row that exists once, and finds a read of another moment', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const { calls, states } = randomHistory(seed);
      assert.deepEqual(findAnomalies(calls), [], `seed ${seed}`);
      const first = states.at(0);
      const late = read(first ?? null, 1e6, 1e6 + 1);
      assert.notDeepEqual(
        findAnomalies([...calls, late]),
        [],
        `seed ${seed}, with a read of ${first} at the end`,
      );
    }
  });
});

function beside(): readonly RegisterCall[] {
  return [write('1', 0, 1), write('2', 2, 9), read('1', 3, 4), read('2', 5, 6), read('2', 7, 8)];
}

function goingBack(): readonly RegisterCall[] {
  return [write('1', 0, 1), write('2', 2, 9), read('2', 3, 4), read('1', 5, 6)];
}

function twice(): readonly RegisterCall[] {
  return [write('1', 0, 20), write('2', 2, 21), read('1', 3, 4), read('2', 5, 6), read('1', 7, 8)];
}

/** Calls on one row whose effects are at moments within them, as a single machine would have them. */
function randomHistory(seed: number) {
  const random = seededRandom(seed);
  const moments = Array.from({ length: 5 + random.below(40) }, (_, at) => 10 * at);
  const states: SeenValue[] = [null];
  const calls = moments.map((atMs, at) => {
    const [startMs, endMs] = [atMs - random.below(60) - 1, atMs + random.below(60) + 1];
    if (at > 0 && random.chance(0.6)) return read(states.at(-1) ?? null, startMs, endMs);
    states.push(`v${at}`);
    return write(`v${at}`, startMs, at > 0 && random.oneIn(5) ? Number.POSITIVE_INFINITY : endMs);
  });
  return { calls, states };
}
