// How restored states are judged.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countsOfState, findWrongStates, type RecordedWriter } from './recorded-states.js';

/** A writer whose changes are sent every 10 ms from `startMs`, and acknowledged 5 ms later. */
function writerOf(
  name: string,
  startMs: number,
  ...values: readonly (readonly [string, string | undefined])[]
): RecordedWriter {
  const changes = values.map((value, at) => {
    const sentMs = startMs + at * 10;
    return { sentMs, acknowledgedMs: sentMs + 5, values: [value] };
  });
  return { name, kind: 'rows', changes };
}

describe('findWrongStates', () => {
  const one = writerOf('one', 1_000, ['a', '1'], ['b', '1'], ['a', '2'], ['b', undefined]);
  const two = writerOf('two', 1_000, ['c', '1'], ['c', '2'], ['c', '3'], ['c', '4']);
  const wanted = { hasAcknowledgedUntilMs: 1_010, lacksSentAfterMs: 1_025 };

  it('counts the changes that lead to a state', () => {
    assert.deepEqual(countsOfState(one, new Map()), [0]);
    assert.deepEqual(countsOfState(one, new Map([['a', '1']])), [1]);
    assert.deepEqual(countsOfState(one, new Map([['a', '2']])), [4]);
    assert.deepEqual(countsOfState(one, new Map([['b', '1']])), []);
  });

  it('takes the state of a moment', () => {
    const state = [
      [
        one,
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
      ],
      [two, new Map([['c', '2']])],
    ] as const;
    assert.deepEqual(findWrongStates(state, wanted), []);
  });

  it('finds lost changes, later ones, halves, and states of two moments', () => {
    const stateOf = (
      ofOne: readonly (readonly [string, string])[],
      ofTwo: readonly (readonly [string, string])[],
    ) =>
      [
        [one, new Map(ofOne)],
        [two, new Map(ofTwo)],
      ] as const;
    const wrongOf = (...states: Parameters<typeof stateOf>) => findWrongStates(stateOf(...states), wanted);
    assert.deepEqual(wrongOf([], [['c', '1']]), [
      'one: 1 acknowledged changes are lost; the first was acknowledged 5 ms before the wanted moment',
    ]);
    assert.match(
      wrongOf([['a', '2']], [['c', '4']]).join('\n'),
      /one: a change is there that was sent 5 ms later\ntwo: /,
    );
    assert.match(wrongOf([['b', '1']], [['c', '2']])[0] ?? '', /one: .+ after none of its 4 changes/);
    assert.match(
      wrongOf([['a', '1']], [['c', '3']])[0] ?? '',
      /states of two moments: two has a change that was sent 5 ms/,
    );
  });
});
