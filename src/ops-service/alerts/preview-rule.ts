// When a rule would have fired: the evaluation of rules on the stored minutes of the metrics.
import type { OpsPreview } from '../../descriptions/operations-replies.js';
import type { Cluster, Reading } from '../clusters/cluster.js';
import { badRequest } from '../errors/validation.js';
import { LatestSamples } from '../metrics/latest-samples.js';
import { findMetricKey } from '../metrics/metric-keys.js';
import { type Point, type StepMinutes, type Steps, steps } from '../metrics/rollup-format.js';
import type { Series } from '../metrics/series.js';
import type { NumberedSeries } from '../metrics/series-index.js';
import { type JudgedCluster, judgedNode, minutesMs, type Rule } from './rule.js';
import { kindOf } from './rules/registry.js';
import { judgeRule, type StandingChange, type Standings } from './standings.js';

/** The time to look at, in seconds since 1970. */
export interface PreviewRange {
  readonly startS: number;
  readonly endS: number;
  /** The present time. */
  readonly nowS: number;
}

type PreviewedAlert = OpsPreview['alerts'][number];

/** The steps in which values are taken: longer ones would hide what a rule is about. */
const previewSteps: readonly StepMinutes[] = [1, 5];
/** Evaluations of one target: about two seconds of work. */
const mostEvaluations = 1_000_000;
const mostRows = 50_000;
const mostListed = 1000;
/** The evaluation begins this many minutes before the time that the rule needs. */
const minutesBefore = 2;

/**
 * The preview of a valid rule on the stored values of a cluster, which has its present nodes and tables. The rule is
 * evaluated by the steps of the result.
 * @throws OpsError `BadRequest` for a kind of rule without stored values, and for too much work
 */
export function planPreview(
  series: Series,
  cluster: Cluster,
  rule: Rule,
  range: PreviewRange,
): Generator<void, OpsPreview> {
  const source = kindOf(rule).stored?.(rule);
  if (source === undefined) {
    const message = `rules of the type ${rule.type} compare no stored values: the event log has the states of nodes`;
    throw badRequest([{ path: 'rule.type', message }]);
  }
  const sourceKey = findMetricKey(source.key)?.key ?? source.key;
  const found = series.list(cluster.id, sourceKey).filter(({ part }) => part === source.part);
  const before = Math.ceil(rule.duration + source.windowMs / 60_000) + minutesBefore;
  const evaluated = stepsOf(series, range, before);
  const rows = series.rowsPerStep(found.map(({ id }) => id)) * evaluated.count;
  if (found.length * evaluated.count > mostEvaluations || rows > mostRows) {
    const message = `takes more than ${mostEvaluations} evaluations: take a shorter time`;
    throw badRequest([{ path: 'start', message }]);
  }
  return preview(series, cluster, rule, range, found, evaluated);
}

function* preview(
  series: Series,
  cluster: Cluster,
  rule: Rule,
  range: PreviewRange,
  found: readonly NumberedSeries[],
  evaluated: Steps,
): Generator<void, OpsPreview> {
  const log = new TransitionLog(rule);
  yield* evaluate(series, cluster, rule, found, evaluated, log);
  const alerts = log.within(range);
  return {
    start: range.startS,
    end: range.endS,
    step: evaluated.step * 60,
    series: found.length,
    count: alerts.length,
    alerts: alerts.slice(0, mostListed),
  };
}

/** The finest steps whose values are kept since the beginning of the range. */
function stepsOf(series: Series, { startS, endS, nowS }: PreviewRange, minutesEarlier: number): Steps {
  const isKept = (step: StepMinutes) =>
    startS >= nowS - (steps.find(({ minutes }) => minutes === step)?.keptDays ?? 0) * 86_400;
  const step = previewSteps.find(isKept) ?? 5;
  return series.stepsOf(step, startS - minutesEarlier * 60, endS);
}

function* evaluate(
  series: Series,
  cluster: Cluster,
  rule: Rule,
  found: readonly NumberedSeries[],
  { step, firstS, count }: Steps,
  log: TransitionLog,
): Generator<void, void> {
  const placeOf = readingMaker(found);
  const ids = found.map(({ id }) => id);
  const samples = new LatestSamples();
  const standings: Standings = new Map();
  const shared = {
    isLoaded: true,
    nodes: cluster.nodes.map(judgedNode),
    tables: new Set(cluster.tables),
    samples,
    // One missing step is a gap.
    gapMs: minutesMs(step) * 1.5,
  };
  let hasBegun = false;
  for (let at = 0; at < count; at += 1) {
    const beginS = firstS + at * step * 60;
    const readings: Reading[] = [];
    const visit = (id: number, point: Point) => void readings.push(placeOf(id, point));
    yield* series.walk(ids, { step, firstS: beginS, count: 1 }, visit);
    // Before the first stored value nothing is known, not even that values were missing.
    hasBegun ||= readings.length > 0;
    if (!hasBegun) continue;
    const endS = beginS + step * 60;
    samples.accept(readings, endS * 1000);
    const judged: JudgedCluster = { ...shared, atMs: endS * 1000, nowMs: endS * 1000 };
    for (const change of judgeRule(rule, standings, judged)) {
      if (change !== undefined) log.note(change, endS);
      yield;
    }
  }
}

/** Converts stored points to the readings of the time when they were stored. */
function readingMaker(found: readonly NumberedSeries[]): (id: number, point: Point) => Reading {
  const places = new Map(
    found.map(({ id, key, node, subject, part }) => {
      const scope = findMetricKey(key)?.scope;
      const place = scope === 'table' ? { table: subject } : scope === 'device' ? { device: subject } : {};
      return [id, { key, node, ...place, ...(part === '' ? {} : { part }) }] as const;
    }),
  );
  return (id, { average, max }) => {
    const place = places.get(id);
    if (place === undefined) throw new Error(`no place of the series ${id}`);
    // The rollup of a percentile is its maximum.
    return { ...place, value: 'part' in place ? max : average };
  };
}

/** The alerts of one evaluation. */
class TransitionLog {
  readonly #rule: Rule;
  readonly #firing = new Map<string, PreviewedAlert>();
  readonly #over: PreviewedAlert[] = [];

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  note({ standing, transition }: StandingChange, atS: number): void {
    if (transition === undefined) return;
    const { kind, reason } = transition;
    const { key, target, state, value } = standing;
    const known = this.#firing.get(key);
    if (kind === 'cleared') {
      if (known !== undefined) this.#over.push({ ...known, cleared: atS });
      this.#firing.delete(key);
      return;
    }
    const isAboutNoData = state.phase === 'firing' && state.isAboutNoData;
    const why = isAboutNoData ? reason : kindOf(this.#rule).conditionOf(this.#rule, target, value);
    this.#firing.set(key, { ...target, fired: atS, cleared: null, reason: why });
  }

  /** The alerts that fired in some part of the range. */
  within({ startS, endS }: PreviewRange): readonly PreviewedAlert[] {
    return [...this.#over, ...this.#firing.values()]
      .filter(({ fired, cleared }) => fired <= endS + 60 && (cleared ?? endS) >= startS)
      .sort((left, right) => left.fired - right.fired);
  }
}
