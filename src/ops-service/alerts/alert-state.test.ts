// The states of an alert with a test clock: times in seconds, intervals of 10, a gap after 60.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AlertState, nextState, quiet, restoredState } from './alert-state.js';
import { compare } from './rules/boundary.js';

/** A value, or `-` for a missing one. */
type Script = readonly (readonly [second: number, value: number | '-'])[];

interface Case {
  readonly duration?: number;
  readonly no_data?: 'keep' | 'ok' | 'alert';
  readonly resolve?: number;
  readonly start?: AlertState;
}

/** The transitions, as `60 fired`; the threshold is 10. */
function run(script: Script, { duration = 1, no_data = 'keep', resolve, start = quiet }: Case = {}) {
  const transitions: string[] = [];
  let state = start;
  let lastReadMs = 0;
  for (const [second, value] of script) {
    const boundary = { threshold: 10, comparator: '>' as const };
    const full = resolve === undefined ? boundary : { ...boundary, resolve_threshold: resolve };
    const verdict = value === '-' ? undefined : compare(value, full);
    const step = nextState({ duration, no_data }, state, lastReadMs, verdict, second * 1000, 60_000);
    if (verdict !== undefined) lastReadMs = Math.max(lastReadMs, second * 1000);
    state = step.state;
    if (step.transition !== undefined) transitions.push(`${second} ${step.transition.kind}`);
  }
  return { transitions, state };
}

/** One value every 10 seconds, including both ends. */
function every10(from: number, to: number, value: number | '-'): Script {
  const count = Math.floor((to - from) / 10) + 1;
  return Array.from({ length: count }, (_, at) => [from + at * 10, value] as const);
}

describe('the states of an alert', () => {
  it('fires when the condition has held for the duration, and not before', () => {
    assert.deepEqual(run(every10(0, 50, 11)).transitions, []);
    assert.deepEqual(run(every10(0, 200, 11)).transitions, ['60 fired']);
  });

  it('fires at the first sample with duration 0', () => {
    assert.deepEqual(run([[5, 11]], { duration: 0 }).transitions, ['5 fired']);
  });

  it('is not beyond at the threshold itself', () => {
    assert.deepEqual(run(every10(0, 200, 10)).transitions, []);
  });

  it('begins again after one sample that is not beyond', () => {
    const script = [...every10(0, 50, 11), [55, 9] as const, ...every10(60, 200, 11)];
    assert.deepEqual(run(script).transitions, ['120 fired']);
  });

  it('clears with the first sample that is not beyond', () => {
    assert.deepEqual(run([...every10(0, 60, 11), [70, 10]]).transitions, ['60 fired', '70 cleared']);
  });

  it('clears only past resolve_threshold', () => {
    const script = [...every10(0, 60, 11), [70, 9], [80, 8.1], [90, 8]] as const;
    assert.deepEqual(run(script, { resolve: 8 }).transitions, ['60 fired', '90 cleared']);
  });

  it('stays pending over a gap of 60 s, not over a longer one', () => {
    assert.deepEqual(
      run([
        [0, 11],
        [30, 11],
        [90, 11],
      ]).transitions,
      ['90 fired'],
    );
    assert.deepEqual(
      run([
        [0, 11],
        [30, 11],
        [91, 11],
        [150, 11],
        [151, 11],
      ]).transitions,
      ['151 fired'],
    );
  });

  it('ignores a value that is older than the last one', () => {
    const script = [
      [0, 11],
      [50, 5],
      [20, 11],
      [60, 11],
    ] as const;
    assert.deepEqual(run(script, { duration: 0.5 }).transitions, []);
  });

  it('begins again after missing values as after a gap', () => {
    const script = [...every10(0, 30, 11), ...every10(40, 100, '-'), ...every10(110, 200, 11)] as const;
    assert.deepEqual(run(script).transitions, ['170 fired']);
  });

  it('keeps an alert without data and says so', () => {
    const { transitions, state } = run([...every10(0, 60, 11), ...every10(70, 300, '-')]);
    assert.deepEqual(transitions, ['60 fired']);
    assert.ok(state.phase === 'firing' && state.isWithoutData);
    const back = run([...every10(0, 60, 11), ...every10(70, 300, '-'), [310, 11]]);
    assert.ok(back.state.phase === 'firing' && !back.state.isWithoutData);
  });

  it('clears an alert without data where that means ok', () => {
    const script = [...every10(0, 60, 11), ...every10(70, 300, '-')] as const;
    assert.deepEqual(run(script, { no_data: 'ok' }).transitions, ['60 fired', '130 cleared']);
  });

  it('fires for missing data where that is an alert, and clears with the first value that is not beyond', () => {
    const script = [[0, 5], ...every10(10, 300, '-'), [310, 5]] as const;
    assert.deepEqual(run(script, { no_data: 'alert' }).transitions, ['70 fired', '310 cleared']);
    assert.deepEqual(run(script, { no_data: 'alert', duration: 3 }).transitions, [
      '180 fired',
      '310 cleared',
    ]);
    assert.deepEqual(run(script).transitions, []);
  });

  it('stays when the value that comes back is beyond', () => {
    const script = [[0, 5], ...every10(10, 300, '-'), [310, 11], [320, 5]] as const;
    assert.deepEqual(run(script, { no_data: 'alert' }).transitions, ['70 fired', '320 cleared']);
  });

  it('keeps what fired before a restart until two new samples are not beyond', () => {
    const start = restoredState(false);
    assert.deepEqual(run([[10, 5]], { start }).transitions, []);
    assert.deepEqual(
      run(
        [
          [10, 5],
          [20, '-'],
          [30, 5],
        ],
        { start },
      ).transitions,
      ['30 cleared'],
    );
    assert.deepEqual(
      run(
        [
          [10, 11],
          [20, 5],
        ],
        { start },
      ).transitions,
      ['20 cleared'],
    );
    assert.deepEqual(
      run(
        [
          [10, 11],
          [20, 11],
        ],
        { start },
      ).transitions,
      [],
    );
  });
});
