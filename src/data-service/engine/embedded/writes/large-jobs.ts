// Jobs on large documents: each is a commit of its own, between two messages, so that other writes wait for one of them
// at most.
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import type { JobCommits } from './commit-jobs.js';
import type { WriteJob } from './write-batch.js';
import type { LateJobs, LateReply } from './writer-messages.js';

/** Bytes of documents and operands; a job of so many is large. Smaller ones gain from a common commit. */
export const largeBytes = 256 * 1024;

/** The jobs that wait, first come, first served. */
export class LargeJobs {
  readonly #commits: Pick<JobCommits, 'carryOut'>;
  readonly #post: (message: LateJobs | LateReply) => void;
  readonly #onCommit: (job: WriteJob, elapsedMs: number) => void;
  readonly #waiting: WriteJob[] = [];
  #next: NodeJS.Immediate | undefined;

  /** `onCommit` is called after each job. */
  constructor(
    commits: Pick<JobCommits, 'carryOut'>,
    post: (message: LateJobs | LateReply) => void,
    onCommit: (job: WriteJob, elapsedMs: number) => void,
  ) {
    this.#commits = commits;
    this.#post = post;
    this.#onCommit = onCommit;
  }

  /** Adds jobs that were not run because they are large. */
  add(jobs: readonly WriteJob[]): void {
    if (jobs.length === 0) return;
    this.#waiting.push(...jobs);
    this.#post({ lateIds: jobs.map(({ id }) => id) });
    this.#schedule();
  }

  /** Runs all jobs that wait. */
  close(): void {
    clearImmediate(this.#next);
    while (this.#waiting.length > 0) this.#runFirst();
  }

  /** Messages that have arrived meanwhile come before the next job. */
  #schedule(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#runFirst();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #runFirst(): void {
    const job = this.#waiting.shift();
    if (job === undefined) return;
    const beganMs = systemClock.monotonicMs();
    for (const { reply } of this.#commits.carryOut([job], Number.POSITIVE_INFINITY))
      this.#post({ lateId: job.id, failure: reply.failures[0]?.[1], result: reply.results[0]?.[1] });
    this.#onCommit(job, systemClock.monotonicMs() - beganMs);
  }
}
