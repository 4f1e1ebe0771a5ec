// Jobs on large documents: they run in portions, one between two messages, so that other writes wait for one portion
// only. A portion is a commit of its own.
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { JobCommits } from './commit-jobs.js';
import type { DocumentResult, DocumentWork } from './document-work.js';
import type { WriteJob } from './write-batch.js';
import type { LateJobs, LateReply } from './writer-messages.js';

interface LargeJob {
  readonly job: WriteJob;
  readonly portions: DocumentWork[];
  result: DocumentResult | undefined;
}

/** Bytes of documents: a job of more is large, and so is a portion. Changing them takes some 10 milliseconds. */
const largeBytes = 128 * 1024;

/** The jobs that wait, first come, first served. */
export class LargeJobs {
  readonly #commits: Pick<JobCommits, 'carryOut' | 'sizesOf'>;
  readonly #post: (message: LateJobs | LateReply) => void;
  readonly #onPortion: (portion: WriteJob, elapsedMs: number) => void;
  readonly #waiting: LargeJob[] = [];
  #next: NodeJS.Immediate | undefined;

  /** `onPortion` is called after each portion. */
  constructor(
    commits: Pick<JobCommits, 'carryOut' | 'sizesOf'>,
    post: (message: LateJobs | LateReply) => void,
    onPortion: (portion: WriteJob, elapsedMs: number) => void,
  ) {
    this.#commits = commits;
    this.#post = post;
    this.#onPortion = onPortion;
  }

  /** Takes the large jobs; returns the others. */
  takeFrom(jobs: readonly WriteJob[]): readonly WriteJob[] {
    const lateIds: number[] = [];
    const others = jobs.filter((job) => {
      const sizes = this.#commits.sizesOf(job);
      if (job.documents === undefined || sum(sizes) < largeBytes) return true;
      this.#waiting.push({ job, portions: portionsOf(job.documents, sizes), result: undefined });
      lateIds.push(job.id);
      return false;
    });
    if (lateIds.length === 0) return others;
    this.#post({ lateIds });
    this.#schedule();
    return others;
  }

  /** Runs all jobs that wait. */
  close(): void {
    clearImmediate(this.#next);
    while (this.#waiting.length > 0) this.#runPortion();
  }

  /** Messages that have arrived meanwhile come before the next portion. */
  #schedule(): void {
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#runPortion();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #runPortion(): void {
    const [first] = this.#waiting;
    const documents = first?.portions.shift();
    if (first === undefined || documents === undefined) return;
    const portion = { ...first.job, documents };
    let failure: PackedError | undefined;
    const beganMs = systemClock.monotonicMs();
    for (const { failures, results } of this.#commits.carryOut([portion])) {
      failure = failures[0]?.[1];
      const result = results[0]?.[1];
      if (result !== undefined) first.result = joined(first.result, result);
    }
    this.#onPortion(portion, systemClock.monotonicMs() - beganMs);
    if (failure === undefined && first.portions.length > 0 && !hasEnded(documents, first.result)) return;
    this.#waiting.shift();
    const lateId = first.job.id;
    // What earlier portions have stored remains, and the reply says so.
    if (failure !== undefined && first.result !== undefined)
      this.#post({ lateId, failure: undefined, result: { ...first.result, failure } });
    else {
      const result = first.result && withSkipped(first.result, first.portions);
      this.#post({ lateId, failure, result });
    }
  }
}

/** Each has documents of `largeBytes` together, or one document. */
function portionsOf(work: DocumentWork, sizes: readonly number[]): DocumentWork[] {
  const portions: DocumentWork[] = [];
  let [from, bytes] = [0, 0];
  for (const [at, size] of sizes.entries()) {
    bytes += size;
    if (bytes < largeBytes && at < sizes.length - 1) continue;
    const [start, end] = [from, at + 1];
    portions.push(
      work.kind === 'insert'
        ? { ...work, documents: work.documents.slice(start, end) }
        : { ...work, keys: work.keys.slice(start, end) },
    );
    [from, bytes] = [end, 0];
  }
  return portions;
}

function joined(before: DocumentResult | undefined, next: DocumentResult): DocumentResult {
  if (before?.kind === 'insert' && next.kind === 'insert')
    return { kind: 'insert', states: [...before.states, ...next.states] };
  if (before?.kind === 'change' && next.kind === 'change') {
    const states = [...before.states, ...next.states];
    return { kind: 'change', states, images: [...before.images, ...next.images], failure: next.failure };
  }
  return next;
}

/** Whether the documents of later portions are not to be written. */
function hasEnded(work: DocumentWork, result: DocumentResult | undefined): boolean {
  if (result?.kind === 'change') return result.failure !== undefined;
  return work.kind === 'insert' && work.isOrdered && result?.states.at(-1) !== 'stored';
}

function withSkipped(result: DocumentResult, portions: readonly DocumentWork[]): DocumentResult {
  if (result.kind !== 'insert') return result;
  const skipped = portions.flatMap((work) =>
    work.kind === 'insert' ? work.documents.map(() => 'skipped' as const) : [],
  );
  return { kind: 'insert', states: [...result.states, ...skipped] };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
