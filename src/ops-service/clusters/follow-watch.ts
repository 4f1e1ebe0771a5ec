// The archive that this server follows, for metrics and events.
import type { AppendEvent } from '../events/event.js';
import type { LocalReading } from './process-readings.js';

/** How far a follower is behind. Plain data, which crosses threads. */
export interface FollowFigures {
  /** The directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Undefined while it is not known. */
  readonly lagMs: number | undefined;
  /** Why the server is behind, in words; undefined while it is not. */
  readonly problem: string | undefined;
  readonly generation: string;
  /** The time of the state that is shown, by the clock of the first server; in ms since 1970. */
  readonly toMs: number;
  /** The server that holds the lease of the archive, in words; undefined if none does. */
  readonly first: string | undefined;
  /** Whether that server has stopped renewing the lease, for longer than it may write. */
  readonly isFirstSilent: boolean;
  /** The last failure of the following, in words, also a short one; undefined when it works again. */
  readonly failure: string | undefined;
  /** Whether this server is becoming the first one. */
  readonly isPromoting: boolean;
}

/** Records as events that a follower is behind or has caught up. */
export class FollowWatch {
  readonly #appendEvent: AppendEvent;
  #figures: FollowFigures | undefined;

  /** Events are of the node `address` of the cluster `local`. */
  constructor(address: string, appendEvent: AppendEvent) {
    this.#appendEvent = (clusterId, event) => appendEvent(clusterId, { ...event, sourceNode: address });
  }

  /** Notes the present state, about once a second. */
  note(now: FollowFigures): void {
    const before = this.#figures;
    this.#figures = now;
    if (now.problem !== undefined && before?.problem === undefined)
      this.#appendEvent('local', { action: 'followBehind', level: 'ERROR', message: now.problem });
    if (now.problem === undefined && before?.problem !== undefined) {
      const message = `this server has everything that the archive ${now.archive} has again`;
      this.#appendEvent('local', { action: 'followCaughtUp', level: 'INFO', message });
    }
  }

  /** The last state; undefined unless the server follows an archive. */
  get figures(): FollowFigures | undefined {
    return this.#figures;
  }

  /** The metrics; none unless the server follows an archive, and knows how far it is behind. */
  get readings(): readonly LocalReading[] {
    const lagMs = this.#figures?.lagMs;
    return lagMs === undefined ? [] : [{ key: 'follow-lag', value: lagMs / 1000 }];
  }
}
