// The archive of this server, for metrics and events.
import type { AppendEvent } from '../events/event.js';
import type { LocalReading } from './process-readings.js';

/** How far the archive is. Plain data, which crosses threads. */
export interface ArchiveFigures {
  /** The directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Undefined until one has begun. */
  readonly generation: string | undefined;
  /** The age of the oldest change that is not in the archive; 0 if all are. */
  readonly behindMs: number;
  /** About the bytes of the logs that are not in the archive. */
  readonly waitingBytes: number;
  /** Why the archive is behind, in words; undefined while it is not. */
  readonly problem: string | undefined;
  /** Why writes are refused, in words; undefined while they are not. */
  readonly refusal: string | undefined;
  /** The last failure of the shipping, in words, also a short one; undefined when it works again. */
  readonly failure: string | undefined;
  /** The term of the lease; 0 while this server has had none. */
  readonly term: number;
  /** Why this server does not have the lease, in words; undefined while it has. */
  readonly leaseProblem: string | undefined;
  /** When the newest complete copies of both databases were made, in ms since 1970; undefined while one lacks. */
  readonly copyAtMs: number | undefined;
}

/** Records as events that the archive is behind or has caught up, and that a generation begins. */
export class ArchiveWatch {
  readonly #appendEvent: AppendEvent;
  #figures: ArchiveFigures | undefined;

  /** Events are of the node `address` of the cluster `local`. */
  constructor(address: string, appendEvent: AppendEvent) {
    this.#appendEvent = (clusterId, event) => appendEvent(clusterId, { ...event, sourceNode: address });
  }

  /** Notes the present state, about once a second. */
  note(now: ArchiveFigures): void {
    const before = this.#figures;
    this.#figures = now;
    if (now.problem !== undefined && before?.problem === undefined)
      this.#append('archiveBehind', 'ERROR', now.problem);
    if (now.problem === undefined && before?.problem !== undefined)
      this.#append('archiveCaughtUp', 'INFO', `the archive ${now.archive} has every change again`);
    if (now.refusal !== undefined && before?.refusal === undefined)
      this.#append('writesRefused', 'ERROR', `writes are refused: ${now.refusal}`);
    if (now.refusal === undefined && before?.refusal !== undefined)
      this.#append('writesAccepted', 'INFO', 'writes are accepted again');
    if (now.generation !== undefined && before !== undefined && before.generation !== now.generation)
      this.#append(
        'archiveGeneration',
        'INFO',
        `the generation ${now.generation} of the archive ${now.archive} begins`,
      );
  }

  #append(
    action: 'archiveBehind' | 'archiveCaughtUp' | 'archiveGeneration' | 'writesRefused' | 'writesAccepted',
    level: 'ERROR' | 'INFO',
    message: string,
  ) {
    this.#appendEvent('local', { action, level, message });
  }

  /** The last state; undefined without an archive. */
  get figures(): ArchiveFigures | undefined {
    return this.#figures;
  }

  /** The metrics; none without an archive. */
  get readings(): readonly LocalReading[] {
    if (this.#figures === undefined) return [];
    const { behindMs, waitingBytes } = this.#figures;
    return [
      { key: 'archive-behind', value: behindMs / 1000 },
      { key: 'archive-waiting', value: waitingBytes },
    ];
  }
}
