// Jobs on large documents, and jobs that change long texts: each is a commit of its own, between two messages, so that
// other writes wait for one of them at most.
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import type { Commit, JobCommits, UnanalyzedJob } from './commit-jobs.js';
import { noKnownTexts, type TextAnalysis, withMoreTexts } from './text-analysis.js';
import type { WriteJob } from './write-batch.js';
import type { LateJobs, LateReply } from './writer-messages.js';

/** Bytes of documents and operands; a job of so many is large. Smaller ones gain from a common commit. */
export const largeBytes = 256 * 1024;

/** The jobs that wait, first come, first served. */
export class LargeJobs {
  readonly #commits: Pick<JobCommits, 'carryOut'>;
  readonly #analysis: Pick<TextAnalysis, 'analyze'>;
  readonly #post: (message: LateJobs | LateReply) => void;
  readonly #onCommit: (job: WriteJob, elapsedMs: number) => void;
  readonly #waiting: WriteJob[] = [];
  #next: NodeJS.Immediate | undefined;

  /** `onCommit` is called after each job. */
  constructor(
    commits: Pick<JobCommits, 'carryOut'>,
    analysis: Pick<TextAnalysis, 'analyze'>,
    post: (message: LateJobs | LateReply) => void,
    onCommit: (job: WriteJob, elapsedMs: number) => void,
  ) {
    this.#commits = commits;
    this.#analysis = analysis;
    this.#post = post;
    this.#onCommit = onCommit;
  }

  /** Adds the jobs of a commit that were not run. */
  add({ large, unanalyzed }: Commit): void {
    const lateIds = [...large, ...unanalyzed.map(({ job }) => job)].map(({ id }) => id);
    if (lateIds.length === 0) return;
    this.#post({ lateIds });
    for (const job of large) this.#addLate(job);
    for (const one of unanalyzed) this.#addAnalyzed(one);
  }

  #addAnalyzed({ job, texts }: UnanalyzedJob): void {
    this.#analysis.analyze(texts, (analyzed) =>
      this.#addLate({ ...job, known: withMoreTexts(job.known ?? noKnownTexts, analyzed) }),
    );
  }

  #addLate(job: WriteJob): void {
    this.#waiting.push(job);
    this.#schedule();
  }

  /** Runs all jobs that wait, after the end of the analysis. */
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
    for (const { reply, unanalyzed } of this.#commits.carryOut([job], Number.POSITIVE_INFINITY)) {
      const [again] = unanalyzed;
      if (again !== undefined) this.#addAnalyzed(again);
      else this.#post({ lateId: job.id, failure: reply.failures[0]?.[1], result: reply.results[0]?.[1] });
    }
    this.#onCommit(job, systemClock.monotonicMs() - beganMs);
  }
}
