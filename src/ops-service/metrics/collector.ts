// Reads the metrics of every cluster at every interval, for the evaluation of rules and for the series.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Cluster } from '../clusters/cluster.js';
import { LatestSamples } from './latest-samples.js';
import type { Series } from './series.js';

/** What the collector needs from outside. */
export interface CollectorParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly clusters: () => readonly Cluster[];
  readonly series: Series;
  readonly alerts: ClusterJudge;
  /** Called before rules are evaluated. */
  noteWork(): void;
}

/** Evaluates the rules of clusters. */
export interface ClusterJudge {
  /**
   * Called once for each interval and cluster, also if nothing could be read: `atMs` is the present time on the
   * monotonic clock, and samples read now have that time. The next reading waits until it resolves.
   */
  judge(cluster: Cluster, samples: LatestSamples, atMs: number): Promise<void>;
}

interface Watched {
  readonly cluster: Cluster;
  readonly samples: LatestSamples;
  nextMs: number;
  reading: Promise<void> | undefined;
  isJudged: boolean;
}

/** Timers may fire a little early: such a tick counts as on time. */
const earlyMs = 500;

/** Reads at every interval while `tick` is called. */
export class Collector {
  readonly #parts: CollectorParts;
  readonly #watched = new Map<string, Watched>();

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** Starts the readings that are due; called every second. */
  tick(): void {
    const clusters = this.#parts.clusters();
    for (const [id, { cluster }] of this.#watched) if (!clusters.includes(cluster)) this.#watched.delete(id);
    for (const cluster of clusters) this.#readWhenDue(this.#watchedOf(cluster));
  }

  /** Resolves when no reading is under way. */
  async settled(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ reading }) => reading));
  }

  #watchedOf(cluster: Cluster): Watched {
    return getOrMake(this.#watched, cluster.id, () => ({
      cluster,
      samples: new LatestSamples(),
      nextMs: this.#parts.clock.monotonicMs(),
      reading: undefined,
      isJudged: false,
    }));
  }

  #readWhenDue(watched: Watched): void {
    const { clock, intervalMs } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs < watched.nextMs - earlyMs) return;
    watched.nextMs = Math.max(watched.nextMs + intervalMs, nowMs + intervalMs / 2);
    if (watched.reading !== undefined) {
      // The last reading has not ended: rules must still detect that values are missing.
      if (!watched.isJudged) void this.#judge(watched, nowMs);
      return;
    }
    watched.reading = this.#read(watched).finally(() => {
      watched.reading = undefined;
    });
  }

  async #read(watched: Watched): Promise<void> {
    const { cluster, samples } = watched;
    const { clock, logger, series } = this.#parts;
    try {
      const readings = await cluster.readMetrics();
      if (this.#watched.get(cluster.id)?.cluster !== cluster) return; // it is no longer monitored
      const atMs = clock.monotonicMs();
      samples.accept(readings, atMs);
      series.accept(cluster.id, readings);
      await this.#judge(watched, atMs);
    } catch (err) {
      logger.error({ err, cluster: cluster.id }, 'the metrics of a cluster could not be read');
    }
  }

  async #judge(watched: Watched, atMs: number): Promise<void> {
    const { logger, alerts, noteWork } = this.#parts;
    const { cluster, samples } = watched;
    watched.isJudged = true;
    try {
      noteWork();
      await alerts.judge(cluster, samples, atMs);
    } catch (err) {
      logger.error({ err, cluster: cluster.id }, 'the alerts of a cluster could not be judged');
    } finally {
      watched.isJudged = false;
    }
  }
}
