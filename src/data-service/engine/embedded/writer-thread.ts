// The writer thread: the only connection that writes. Jobs that wait while a commit runs share the next commit.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { DatabaseFailure } from '../../../foundation/sqlite/database-failure.js';
import { type Database, openDatabase } from '../../../foundation/sqlite/open-database.js';
import { changeFunctions } from './change-functions.js';
import { loadSchema } from './schema-store.js';
import { sqlFunctions } from './sql-functions.js';
import { unpackJobs, type WriteJob } from './write-batch.js';
import type { WriteFailure, WriterReply, WriterRequest, WriterSettings } from './writer-messages.js';

/** Sets of values run in one transaction at most, so that no commit grows without bound. */
const maxSetsPerCommit = 5_000;
/** Larger logs are checkpointed rarer, which is 1.4 times the write rate of SQLite's default with random keys. */
const walAutocheckpointPages = 30_000;
const cacheSizeBytes = 64 * 1024 * 1024;

function serveWrites(port: MessagePort, settings: WriterSettings): void {
  const database = openDatabase({
    path: settings.path,
    walAutocheckpointPages,
    cacheSizeBytes,
    busyTimeoutMs: 5_000,
    functions: { ...sqlFunctions, ...changeFunctions },
  });
  const tableVersions = new Map<number, number>();
  for (const { tables } of loadSchema(database).keyspaces.values()) {
    for (const { id, version } of tables.values()) tableVersions.set(id, version);
  }
  const writer = new Writer(database, tableVersions, settings.commitDelayMs);
  port.on('message', (first: WriterRequest) => {
    const requests = [first, ...takeWaiting(port)];
    const jobs = requests.flatMap((request) => (request === 'close' ? [] : unpackJobs(request)));
    for (const reply of writer.carryOut(jobs)) port.postMessage(reply);
    if (!requests.includes('close')) return;
    database.close();
    // The thread ends by itself: ending it from outside while a statement runs would abort the process.
    port.close();
  });
  port.postMessage('ready');
}

function* takeWaiting(port: MessagePort): Iterable<WriterRequest> {
  for (;;) {
    const received: { message: WriterRequest } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return;
    yield received.message;
  }
}

class Writer {
  readonly #database: Database;
  readonly #tableVersions: Map<number, number>;
  readonly #commitDelayMs: number;

  constructor(database: Database, tableVersions: Map<number, number>, commitDelayMs: number) {
    this.#database = database;
    this.#tableVersions = tableVersions;
    this.#commitDelayMs = commitDelayMs;
  }

  /** Carries jobs out in order; a reply per commit. */
  *carryOut(jobs: readonly WriteJob[]): Iterable<WriterReply> {
    let group: WriteJob[] = [];
    let sets = 0;
    for (const job of jobs) {
      if (job.tableVersions !== undefined || sets >= maxSetsPerCommit) {
        if (group.length > 0) yield this.#commitGroup(group);
        group = [];
        sets = 0;
      }
      group.push(job);
      sets += job.statements.reduce((sum, { valueSets }) => sum + valueSets.length, 0);
      if (job.tableVersions !== undefined) {
        yield this.#commitGroup(group);
        group = [];
      }
    }
    if (group.length > 0) yield this.#commitGroup(group);
  }

  #commitGroup(group: readonly WriteJob[]): WriterReply {
    const failures: (readonly [number, WriteFailure])[] = [];
    try {
      this.#database.transaction(() => {
        for (const job of group) {
          const refusal = this.#refusal(job);
          if (refusal === undefined) this.#run(job);
          else failures.push([job.id, refusal]);
        }
      });
      this.#keepVersions(group);
    } catch (error) {
      // One job must not fail its neighbours: each tries again alone.
      if (group.length > 1) return merge(group.map((job) => this.#commitGroup([job])));
      for (const job of group) failures.push([job.id, toFailure(error)]);
    }
    if (this.#commitDelayMs > 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.#commitDelayMs);
    return { doneThrough: group.at(-1)?.id ?? 0, failures };
  }

  #refusal({ table }: WriteJob): WriteFailure | undefined {
    if (table === undefined || this.#tableVersions.get(table.id) === table.version) return undefined;
    return { kind: 'stale', message: 'the table changed' };
  }

  #run({ statements }: WriteJob): void {
    for (const { sql, valueSets } of statements) {
      const statement = this.#database.statement(sql);
      for (const values of valueSets) statement.run(values);
    }
  }

  #keepVersions(group: readonly WriteJob[]): void {
    for (const [tableId, version] of group.flatMap(({ tableVersions = [] }) => tableVersions)) {
      if (version === null) this.#tableVersions.delete(tableId);
      else this.#tableVersions.set(tableId, version);
    }
  }
}

function merge(replies: readonly WriterReply[]): WriterReply {
  return {
    doneThrough: replies.at(-1)?.doneThrough ?? 0,
    failures: replies.flatMap(({ failures }) => failures),
  };
}

function toFailure(error: unknown): WriteFailure {
  if (error instanceof DatabaseFailure) return { kind: error.kind, message: error.message };
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

if (parentPort !== null) serveWrites(parentPort, workerData as WriterSettings); // set by the thread's only maker
