// What holds of alerts for every stream of samples: random streams from a seed, judged by the states themselves.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AlertState, nextState, quiet } from '../../src/ops-service/alerts/alert-state.js';
import { readNewRule } from '../../src/ops-service/alerts/read-rule.js';
import type { ComparingRule } from '../../src/ops-service/alerts/rules/comparing-rule.js';
import { rollingAverage } from '../../src/ops-service/alerts/rules/rolling-avg.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

interface Sample {
  readonly atMs: number;
  readonly value: number;
}
interface Transition {
  readonly kind: 'fired' | 'cleared';
  readonly atMs: number;
}

const gapMs = 60_000;
const intervalMs = 10_000;
const threshold = 50;
const rounds = 2_000;

describe('every stream of samples', () => {
  it('fires only when all samples of the duration were beyond, without a gap', () => {
    everyRound((random) => {
      const rule = randomRule(random, 0);
      const samples = randomSamples(random, () => random.below(100) + 20);
      for (const { kind, atMs } of run(rule, samples)) {
        if (kind === 'fired') assert.ok(holds(samples, atMs - rule.duration * 60_000, atMs), `at ${atMs}`);
      }
    });
  });

  it('fires as soon as they were', () => {
    everyRound((random) => {
      const rule = randomRule(random, 0);
      const samples = randomSamples(random, () => (random.oneIn(30) ? 1 : 99));
      const firing = firingTimes(run(rule, samples), samples);
      for (const { atMs } of samples) {
        const sinceMs = atMs - rule.duration * 60_000;
        const isDue = samples.some((first) => first.atMs <= sinceMs && holds(samples, first.atMs, atMs));
        if (isDue) assert.ok(firing.has(atMs), `at ${atMs}`);
      }
    });
  });

  it('reports firing and clearing in turns, firing first', () => {
    everyRound((random) => {
      const kinds = run(
        randomRule(random, random.below(3)),
        randomSamples(random, () => random.below(100)),
      );
      assert.ok(kinds.every(({ kind }, at) => kind === (at % 2 === 0 ? 'fired' : 'cleared')));
    });
  });

  it('with stretches missing never fires what the whole one does not', () => {
    everyRound((random) => {
      const rule = randomRule(random, 0);
      const samples = randomSamples(random, () => random.below(100) + 20);
      expectWithin(run(rule, withoutStretches(random, samples)), firingTimes(run(rule, samples), samples));
    });
  });

  it('with any samples missing or late never fires what the whole one does not, if dips are longer than a gap', () => {
    everyRound((random) => {
      const rule = randomRule(random, 0);
      const samples = withLongLulls(random);
      const firing = firingTimes(run(rule, samples), samples);
      expectWithin(
        run(
          rule,
          samples.filter(() => random.chance(0.6)),
        ),
        firing,
      );
      expectWithin(run(rule, shuffled(random, samples)), firing);
    });
  });

  it('that arrives late fires what it fires without the late samples', () => {
    everyRound((random) => {
      const rule = randomRule(random, random.pick([0, 1, 3]));
      const late = shuffled(
        random,
        randomSamples(random, () => random.below(100)),
      );
      let newestMs = Number.NEGATIVE_INFINITY;
      const inTime = late.filter(({ atMs }) => {
        if (atMs <= newestMs) return false;
        newestMs = atMs;
        return true;
      });
      assert.deepEqual(run(rule, late), run(rule, inTime));
    });
  });

  // More cannot hold: a dip between two samples is not known, and short gaps must not begin again.
  it('with any samples missing or late fires more only where a contradicting sample was not seen', () => {
    let more = 0;
    everyRound((random) => {
      const rule = randomRule(random, 0);
      const samples = randomSamples(random, () => (random.oneIn(8) ? 1 : 99));
      const firing = firingTimes(run(rule, samples), samples);
      const left = shuffled(
        random,
        samples.filter(() => random.chance(0.7)),
      );
      for (const { kind, atMs } of run(rule, left)) {
        if (kind !== 'fired' || firing.has(atMs)) continue;
        more += 1;
        // Samples that are left are further apart: the condition may have begun a gap earlier.
        const sinceMs = atMs - rule.duration * 60_000 - gapMs;
        const isUnseen = ({ value, ...sample }: Sample) =>
          value <= threshold && sample.atMs >= sinceMs && sample.atMs < atMs;
        assert.ok(samples.some(isUnseen), `fired at ${atMs} without need`);
      }
    });
    assert.ok(more > 0, 'the dips of no stream went unseen');
  });

  it('recovers from missing samples after duration and window', () => {
    everyRound((random) => {
      const rule = randomRule(random, random.pick([0, 1, 3]));
      const samples = steadySamples(random, () => random.below(100) + 10);
      const wholeFromMs = samples[random.below(samples.length)]?.atMs ?? 0;
      const left = samples.filter(({ atMs }) => atMs >= wholeFromMs || random.chance(0.5));
      const settledMs = wholeFromMs + (rule.duration + windowMinutes(rule)) * 60_000 + gapMs;
      const firing = firingTimes(run(rule, samples), samples);
      const firingLeft = firingTimes(run(rule, left), samples);
      const settled = samples.filter(({ atMs }) => atMs > settledMs).map(({ atMs }) => atMs);
      assert.deepEqual(
        settled.filter((atMs) => firingLeft.has(atMs)),
        settled.filter((atMs) => firing.has(atMs)),
      );
    });
  });
});

function everyRound(check: (random: SeededRandom) => void): void {
  for (let seed = 1; seed <= rounds; seed += 1) {
    try {
      check(seededRandom(seed));
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
}

function randomRule(random: SeededRandom, window: number): ComparingRule {
  const body = {
    type: 'rolling-avg',
    metric: 'write-ops',
    threshold,
    duration: random.pick([0, 0.5, 1, 3]),
    window,
  };
  const histograms = { parts: [], takesWindow: true };
  return readNewRule(body, 'r', { id: 'local', histograms }) as ComparingRule; // by its type
}

function windowMinutes({ duration, window }: ComparingRule): number {
  return window ?? Math.min(duration, 1);
}

function randomSamples(random: SeededRandom, value: () => number): readonly Sample[] {
  let atMs = 0;
  return Array.from({ length: 60 }, () => {
    atMs += random.oneIn(20) ? intervalMs * (2 + random.below(9)) : intervalMs + random.below(50) - 25;
    return { atMs, value: value() };
  });
}

/** Without gaps. */
function steadySamples(random: SeededRandom, value: () => number): readonly Sample[] {
  return Array.from({ length: 80 }, (_, at) => ({
    atMs: (at + 1) * intervalMs + random.below(50) - 25,
    value: value(),
  }));
}

function withLongLulls(random: SeededRandom): readonly Sample[] {
  const values: number[] = [];
  while (values.length < 120) {
    values.push(...Array.from({ length: 1 + random.below(30) }, () => 99));
    values.push(...Array.from({ length: 8 + random.below(5) }, () => 1));
  }
  return values.map((value, at) => ({ atMs: at * intervalMs, value }));
}

/** Takes away stretches that are longer than a gap. */
function withoutStretches(random: SeededRandom, samples: readonly Sample[]): readonly Sample[] {
  const left = [...samples];
  for (let count = random.below(4); count > 0; count -= 1) {
    const from = random.below(left.length);
    let to = from;
    while (to < left.length && (left[to]?.atMs ?? 0) - (left[from - 1]?.atMs ?? 0) <= gapMs) to += 1;
    left.splice(from, to - from);
  }
  return left;
}

function shuffled(random: SeededRandom, samples: readonly Sample[]): readonly Sample[] {
  const reach = 1 + random.below(12);
  return samples
    .map((sample, at) => ({ sample, at: at + random.below(reach) }))
    .sort((left, right) => left.at - right.at)
    .map(({ sample }) => sample);
}

function run(rule: ComparingRule, samples: readonly Sample[]): readonly Transition[] {
  const transitions: Transition[] = [];
  let state: AlertState = quiet;
  let lastReadMs = 0;
  let memory: Parameters<typeof rollingAverage.step>[1];
  for (const sample of samples) {
    const judged = rollingAverage.step(rule, memory, sample, sample.atMs);
    memory = judged.memory;
    const step = nextState(rule, state, lastReadMs, judged.verdict, sample.atMs, gapMs);
    lastReadMs = Math.max(lastReadMs, sample.atMs);
    state = step.state;
    if (step.transition !== undefined) transitions.push({ kind: step.transition.kind, atMs: sample.atMs });
  }
  return transitions;
}

/** The times of samples at which the alert was listed. */
function firingTimes(transitions: readonly Transition[], samples: readonly Sample[]): ReadonlySet<number> {
  const isFiringAt = (atMs: number) =>
    transitions.filter((found) => found.atMs <= atMs).at(-1)?.kind === 'fired';
  return new Set(samples.map(({ atMs }) => atMs).filter(isFiringAt));
}

function expectWithin(transitions: readonly Transition[], firing: ReadonlySet<number>): void {
  for (const { kind, atMs } of transitions) if (kind === 'fired') assert.ok(firing.has(atMs), `at ${atMs}`);
}

/** Whether all samples in the stretch are beyond, from its very beginning, and no two are a gap apart. */
function holds(samples: readonly Sample[], fromMs: number, toMs: number): boolean {
  const first = samples.findLastIndex(({ atMs }) => atMs <= fromMs);
  if (first < 0) return false;
  const inside = samples.slice(first).filter(({ atMs }) => atMs <= toMs);
  return inside.every(
    ({ atMs, value }, at) => value > threshold && (at === 0 || atMs - (inside[at - 1]?.atMs ?? 0) <= gapMs),
  );
}
