// Commits write jobs: jobs that arrive together share a commit, and if one of them fails, each runs again alone.
import { DatabaseFailure, type DatabaseFailureKind } from '../../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { WritePermit, WritesRefused, WriteUncertain } from '../../../../foundation/sqlite/write-permit.js';
import { type PackedError, packError } from '../../../../foundation/threads/crossing-error.js';
import { maxRowBytes } from '../../../schema/row-limit.js';
import { fitsInRow } from '../file/row-size.js';
import { TextsToAnalyze, type WantedText, withAnalyzed } from '../file/text-functions.js';
import type { WriteStatement } from '../statements/write-statements.js';
import { type DocumentResult, documentsOf } from './document-work.js';
import { DocumentWriter } from './document-writer.js';
import type { MergesLeft } from './segment-merges.js';
import { mostUnitsOf, noKnownTexts } from './text-analysis.js';
import type { WriteJob } from './write-batch.js';
import { FailedCheck, RowsTooLarge, writeErrors } from './write-errors.js';
import type { WriterReply, WriterSettings } from './writer-messages.js';

/** The maximum number of sets of values in one transaction, so that commits are bounded. */
const maxSetsPerCommit = 5_000;

/** What became of the jobs of a commit. */
export interface Commit {
  readonly reply: WriterReply;
  /** Jobs on large documents: of them nothing was written, and the reply has nothing about them. */
  readonly large: readonly WriteJob[];
  /** Jobs that change long texts, which must be analyzed first; otherwise as `large`. */
  readonly unanalyzed: readonly UnanalyzedJob[];
}

/** A job, and the texts that must be analyzed before it is run again. */
export interface UnanalyzedJob {
  readonly job: WriteJob;
  readonly texts: readonly WantedText[];
}

/** Cancels a transaction with jobs that must be undone until their texts are analyzed. */
class UnanalyzedJobs extends Error {}

/** Runs jobs on the connection that writes. */
export class JobCommits {
  readonly #database: Database;
  readonly #tableVersions: Map<number, number>;
  readonly #commitDelayMs: number;
  readonly #documents: DocumentWriter;
  /** Undefined without an archive. */
  readonly #permit: WritePermit | undefined;

  constructor(
    database: Database,
    tableVersions: Map<number, number>,
    {
      commitDelayMs,
      entrySizes,
      shippedLog,
    }: Pick<WriterSettings, 'commitDelayMs' | 'entrySizes' | 'shippedLog'>,
  ) {
    this.#database = database;
    this.#tableVersions = tableVersions;
    this.#commitDelayMs = commitDelayMs;
    this.#documents = new DocumentWriter(database, entrySizes);
    const permit = shippedLog?.permit;
    this.#permit = permit && new WritePermit(permit);
  }

  /** Runs jobs in order, except those whose documents and operands have `largeBytes` or more. */
  *carryOut(jobs: readonly WriteJob[], largeBytes: number): Iterable<Commit> {
    let group: WriteJob[] = [];
    let sets = 0;
    for (const job of jobs) {
      const standsAlone = job.tableVersions !== undefined;
      if (group.length > 0 && (standsAlone || sets >= maxSetsPerCommit)) {
        yield this.#commitGroup(group, largeBytes);
        group = [];
        sets = 0;
      }
      if (standsAlone) {
        yield this.#commitGroup([job], largeBytes);
      } else {
        group.push(job);
        sets += setsOf(job);
      }
    }
    if (group.length > 0) yield this.#commitGroup(group, largeBytes);
  }

  /**
   * Runs a step of the merges of index entries, which takes some milliseconds, and more of them until `isTime` if
   * merges are behind. At rest, when no job waits, more is merged.
   */
  mergeSome(isAtRest: boolean, isTime: () => boolean): MergesLeft {
    try {
      return this.#database.transaction(() =>
        this.#documents.mergeSome(isAtRest, isTime, (id) => this.#tableVersions.get(id)),
      );
    } catch (error) {
      // Only the step is lost: entries are where they were. A write meets the same failure and reports it.
      this.#documents.forget();
      if (!(error instanceof DatabaseFailure)) throw error;
      return 'none';
    }
  }

  /** Commits the next step of a build of index entries, see `DocumentWriter.buildSome`; of no table, it is done. */
  buildEntries(id: number, count: number, isTime: () => boolean): { readonly isDone: boolean } {
    const version = this.#tableVersions.get(id);
    if (version === undefined) return { isDone: true };
    try {
      return this.#database.transaction(() => ({
        isDone: this.#documents.buildSome({ id, version }, count, isTime),
      }));
    } catch (error) {
      this.#documents.forget();
      throw error;
    }
  }

  #commitGroup(group: readonly WriteJob[], largeBytes: number): Commit {
    const large: WriteJob[] = [];
    const failures: (readonly [number, PackedError])[] = [];
    const results: (readonly [number, DocumentResult])[] = [];
    const unanalyzed: UnanalyzedJob[] = [];
    try {
      this.#database.transaction(() => {
        for (const job of group) {
          const { table, documents } = job;
          const outdated = this.#refusal(job);
          const { known = noKnownTexts, tableVersions } = job;
          if (outdated === undefined && documents !== undefined && table !== undefined) {
            const given = [table, documents, largeBytes] as const;
            const result = withAnalyzed(known.analyzed, mostUnitsOf(known), this.#writeDocuments, ...given);
            if (result instanceof TextsToAnalyze) unanalyzed.push({ job, texts: result.texts });
            else if (result === undefined) large.push(job);
            else results.push([job.id, result]);
            continue;
          }
          // Changes of the schema keep their order, so they wait for nothing.
          const mostUnits = tableVersions === undefined ? mostUnitsOf(known) : Number.POSITIVE_INFINITY;
          const refusal = outdated ?? withAnalyzed(known.analyzed, mostUnits, this.#run, job);
          if (refusal instanceof TextsToAnalyze) unanalyzed.push({ job, texts: refusal.texts });
          else if (refusal !== undefined) failures.push([job.id, packError(refusal, writeErrors)]);
        }
        // All such jobs are found before the others are run again.
        if (unanalyzed.length > 0) throw new UnanalyzedJobs();
        if (this.#commitDelayMs > 0) sleep(this.#commitDelayMs);
        this.#permit?.expectAllowed();
      });
      this.#keepVersions(group);
      this.#expectStillAllowed();
    } catch (error) {
      this.#documents.forget();
      if (error instanceof UnanalyzedJobs) return this.#commitWithout(unanalyzed, group, largeBytes);
      // A job must not make others fail: each runs again alone, unless the failure concerns all of them.
      if (group.length > 1 && !failsAll(error))
        return merge(group.map((job) => this.#commitGroup([job], largeBytes)));
      const failure = packError(error, writeErrors);
      const allFailed = group.map(({ id }) => [id, failure] as const);
      const reply = { doneThrough: lastId(group), failures: allFailed, results: [] };
      return { reply, large: [], unanalyzed: [] };
    }
    return { reply: { doneThrough: lastId(group), failures, results }, large, unanalyzed: [] };
  }

  /** The process may have been stopped during the commit: another server may have taken over, and not have it. */
  #expectStillAllowed(): void {
    const refusal = this.#permit?.refusal;
    if (refusal !== undefined) throw new WriteUncertain(`it is stored by this server, but ${refusal}`);
  }

  /** Commits the other jobs of a group. */
  #commitWithout(some: readonly UnanalyzedJob[], group: readonly WriteJob[], largeBytes: number): Commit {
    const without = new Set(some.map(({ job }) => job));
    const others = group.filter((job) => !without.has(job));
    const doneThrough = lastId(group);
    const none = { reply: { doneThrough, failures: [], results: [] }, large: [], unanalyzed: [] };
    const commit = others.length === 0 ? none : this.#commitGroup(others, largeBytes);
    return {
      ...commit,
      reply: { ...commit.reply, doneThrough },
      unanalyzed: [...some, ...commit.unanalyzed],
    };
  }

  #refusal({ table }: WriteJob): DatabaseFailure | undefined {
    if (table === undefined || this.#tableVersions.get(table.id) === table.version) return undefined;
    return new DatabaseFailure('schema', 'the table changed');
  }

  readonly #writeDocuments: DocumentWriter['write'] = (...given) => this.#documents.write(...given);

  /** Returns which sets of values were too large; the others are stored. */
  readonly #run = ({ statements }: WriteJob): RowsTooLarge | undefined => {
    const tooLargeSets: number[] = [];
    let set = 0;
    for (const statement of statements) {
      const { sql, valueSets, isCheck, tooLarge } = statement;
      if (isCheck === true) {
        this.#check(statement);
        continue;
      }
      if (tooLarge === undefined) {
        this.#runPlain(statement);
        set += valueSets.length;
        continue;
      }
      const prepared = this.#database.statement(sql);
      for (const values of valueSets) {
        if (!fitsInRow(values) || prepared.run(values).changes === 0) {
          tooLargeSets.push(set);
          if (tooLarge === 'skipRest') return tooLargeRows(tooLargeSets);
        }
        set += 1;
      }
    }
    return tooLargeSets.length === 0 ? undefined : tooLargeRows(tooLargeSets);
  };

  /**
   * Runs a statement once for each set of its values. A statement without values contains the name of a table that it
   * creates, changes or drops, so it is not cached: a prepared statement takes up to tens of kilobytes outside the
   * JavaScript heap until the garbage collector finds it, which in a thread with a small heap can be hours later.
   */
  #runPlain({ sql, valueSets }: WriteStatement): void {
    if (valueSets.every((values) => values.length === 0)) {
      for (const _ of valueSets) this.#database.exec(sql);
      return;
    }
    const statement = this.#database.statement(sql);
    for (const values of valueSets) statement.run(values);
  }

  #check({ sql, valueSets }: WriteStatement): void {
    const statement = this.#database.statement(sql, { returnArrays: true, readBigInts: true });
    const found = valueSets.flatMap((values) => statement.all(values));
    if (found.length > 0) throw new FailedCheck(found);
  }

  #keepVersions(group: readonly WriteJob[]): void {
    for (const { tableVersions } of group) {
      // Few jobs change the schema.
      if (tableVersions === undefined) continue;
      for (const [tableId, version] of tableVersions) {
        if (version === null) this.#tableVersions.delete(tableId);
        else this.#tableVersions.set(tableId, version);
      }
    }
  }
}

/** Failures of the file or the disk: running each job alone would only take longer. */
const failuresOfAll: ReadonlySet<DatabaseFailureKind> = new Set(['busy', 'io', 'corrupt', 'readOnly']);

function failsAll(error: unknown): boolean {
  if (error instanceof WritesRefused || error instanceof WriteUncertain) return true;
  return error instanceof DatabaseFailure && failuresOfAll.has(error.kind);
}

function tooLargeRows(sets: readonly number[]): RowsTooLarge {
  return new RowsTooLarge(
    `the row would have more than ${maxRowBytes} bytes with all that is stored of it`,
    sets,
  );
}

/** A document has a row and about so many index entries. */
const setsOfDocument = 25;

/** The number of sets of values of a job. */
export function setsOf({ statements, documents }: WriteJob): number {
  const sets = statements.reduce((sum, { valueSets }) => sum + valueSets.length, 0);
  return documents === undefined ? sets : sets + documentsOf(documents) * setsOfDocument;
}

function lastId(group: readonly WriteJob[]): number {
  return group.at(-1)?.id ?? 0;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function merge(commits: readonly Commit[]): Commit {
  const replies = commits.map(({ reply }) => reply);
  return {
    reply: {
      doneThrough: replies.at(-1)?.doneThrough ?? 0,
      failures: replies.flatMap(({ failures }) => failures),
      results: replies.flatMap(({ results }) => results),
    },
    large: commits.flatMap(({ large }) => large),
    unanalyzed: commits.flatMap(({ unanalyzed }) => unanalyzed),
  };
}
