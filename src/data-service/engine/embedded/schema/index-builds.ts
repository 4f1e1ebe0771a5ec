// Builds text and container indexes, and the entries of documents: adds the rows that exist in small steps, between
// which other writes continue.
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import type { ContainerIndex, Table, TextIndex } from '../../../schema/table.js';
import { EngineError, type EngineErrorKind, engineClosed } from '../../engine-error.js';
import { entriesOf } from '../file/engine-state.js';
import type { SegmentSizes } from '../postings/keep-segments.js';
import { isBuiltInSteps } from '../statements/build-steps.js';
import { memberBuildSteps } from '../statements/member-statements.js';
import { textBuild, textTables } from '../statements/text-statements.js';
import type { Writer } from '../writes/writer.js';
import { builtEntries, builtIndex } from './index-states.js';
import type { SchemaHolder } from './schema-holder.js';

/** The parts that building uses. */
export interface IndexBuildsParts {
  readonly writer: Pick<Writer, 'runStep'>;
  readonly clock: Clock;
  readonly schema: Pick<SchemaHolder, 'current' | 'tableWithId' | 'change' | 'changeState'>;
  /** An index of the table has all rows. */
  readonly onBuilt: (tableId: number) => void;
  /** The sizes of segments of text indexes. */
  readonly sizes: SegmentSizes;
  /** The maximum number of documents of a step. Default: so many that a step ends after some milliseconds. */
  readonly mostRows?: number | undefined;
}

/** The number of rows of a step, adjusted by the duration of the last step, because values can be long. */
const rowsPerStep = { first: 50, least: 1, most: 2_000 } as const;
const stepMs = 20;
/** The time until a build begins again that the storage refused: a disk without room may have some later. */
const retryMs = 10_000;

/** Builds the indexes that are not built. */
export class IndexBuilds {
  readonly #parts: IndexBuildsParts;
  readonly #onWarning: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #retries = new Set<NodeJS.Timeout>();
  #isClosing = false;

  constructor(parts: IndexBuildsParts, onWarning: (error: unknown) => void) {
    this.#parts = parts;
    this.#onWarning = onWarning;
  }

  /**
   * Continues the builds that an earlier process did not finish. A failure causes a warning, and one of the storage
   * another try.
   */
  finishOthers(schema: Schema): void {
    for (const { tables } of schema.keyspaces.values()) {
      for (const table of tables.values()) {
        if (entriesOf(table)?.isBuilding === true) this.#inBackground(() => this.buildEntries(table.id));
        for (const index of table.indexes)
          if (isBuiltInSteps(index) && index.isBuilding === true)
            this.#inBackground(() => this.build(table.id, index.name));
      }
    }
  }

  #inBackground(build: () => Promise<void>, isRetry = false): void {
    build().catch((error) => {
      const kind = kindOf(error);
      // A table or an index that is gone needs nothing.
      if (kind === 'closed' || kind === 'schemaChanged') return;
      const isRefused = kind === 'writeFailed' || kind === 'writeTimeout';
      if (!isRetry || !isRefused) this.#onWarning(error);
      if (!isRefused || this.#isClosing) return;
      const retry = setTimeout(() => {
        this.#retries.delete(retry);
        this.#inBackground(build, true);
      }, retryMs);
      this.#retries.add(retry);
    });
  }

  /**
   * Adds an index to its table and builds it. If building fails, the index is dropped; if that fails too, the next
   * start continues to build it. A change of the schema that is stored, and perhaps not in the archive, is reported as
   * such, and the index is built.
   * @throws EngineError
   */
  async create(
    change: Extract<SchemaChange, { kind: 'createIndex' }>,
    index: Omit<TextIndex, 'id'> | Omit<ContainerIndex, 'id'>,
  ): Promise<void> {
    const [{ schema }, { table }] = [this.#parts, change];
    const build = () => this.build(table.id, index.name);
    try {
      await schema.change({ ...change, index: { ...index, isBuilding: true } });
    } catch (error) {
      if (kindOf(error) === 'writeTimeout') this.#inBackground(build);
      throw error;
    }
    try {
      await build();
    } catch (error) {
      const kind = kindOf(error);
      // `schemaChanged` would mean that the command did nothing: it would be repeated, and make the index again.
      if (kind === 'schemaChanged') throw droppedMeanwhile(index.name, error);
      const present = schema.tableWithId(table.id);
      const created = present?.indexes.find(({ name }) => name === index.name);
      if (kind === 'writeTimeout') this.#inBackground(build);
      else if (kind !== 'closed' && present !== undefined && created !== undefined)
        await schema.change({ kind: 'dropIndex', table: present, index: created });
      throw error;
    }
  }

  /** Builds an index. Rejects with an EngineError: `schemaChanged` if it was dropped meanwhile. */
  build(tableId: number, indexName: string): Promise<void> {
    return this.#run(this.#build(tableId, indexName));
  }

  /** Builds the entries of the documents of a collection. Rejects as `build`. */
  buildEntries(tableId: number): Promise<void> {
    return this.#run(this.#buildEntries(tableId));
  }

  #run(running: Promise<void>): Promise<void> {
    const settled = running.catch(() => undefined).then(() => void this.#running.delete(settled));
    this.#running.add(settled);
    return running;
  }

  /** Stops after the current step; the next start continues. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const retry of this.#retries) clearTimeout(retry);
    await Promise.all(this.#running);
  }

  async #build(tableId: number, indexName: string): Promise<void> {
    const { writer, clock, schema, sizes, onBuilt } = this.#parts;
    let count: number = rowsPerStep.first;
    // It may be emptied after its last step, or another index has its name: then that one is built.
    for (;;) {
      if (this.#isClosing) throw engineClosed();
      const { table, index } = this.#find(tableId, indexName);
      if (index.isBuilding !== true) break;
      const startedMs = clock.monotonicMs();
      const { isDone } =
        index.kind === 'text'
          ? await writer.runStep('buildTextIndex', { ...textBuild(table, index), sizes, count })
          : await writer.runStep('buildIndex', { steps: memberBuildSteps(table, index), count });
      const elapsedMs = clock.monotonicMs() - startedMs;
      if (index.kind === 'text') await this.#keepSegments(table, index);
      if (elapsedMs > stepMs * 1.5) count = Math.max(rowsPerStep.least, Math.floor(count / 2));
      else if (elapsedMs < stepMs / 2) count = Math.min(rowsPerStep.most, count * 2);
      if (isDone) await schema.changeState(tableId, builtIndex(index));
    }
    onBuilt(tableId);
  }

  /** Moves what was logged meanwhile to segments, and merges segments, so that the first searches find few of them. */
  async #keepSegments(table: Table, index: TextIndex): Promise<void> {
    const { writer, sizes } = this.#parts;
    const argument = { tables: textTables(table, index), sizes, isAtRest: false };
    for (let left = 1; left > 0 && !this.#isClosing; )
      ({ left } = await writer.runStep('keepSegments', argument));
  }

  async #buildEntries(tableId: number): Promise<void> {
    const { writer, schema, mostRows: count = 1_000_000 } = this.#parts;
    // Others may take their place after the last step: then those are built.
    for (;;) {
      if (this.#isClosing) throw engineClosed();
      const table = schema.tableWithId(tableId);
      if (table === undefined) throw new EngineError('schemaChanged', 'the collection is gone');
      const entries = entriesOf(table);
      if (entries?.isBuilding !== true) break;
      const { isDone } = await writer.runStep('buildEntries', { id: tableId, count });
      if (isDone) await schema.changeState(tableId, builtEntries(entries.id));
    }
  }

  #find(
    tableId: number,
    indexName: string,
  ): { readonly table: Table; readonly index: TextIndex | ContainerIndex } {
    const table = this.#parts.schema.tableWithId(tableId);
    const index = table?.indexes.find(({ name }) => name === indexName);
    if (table === undefined || index === undefined || !isBuiltInSteps(index))
      throw new EngineError('schemaChanged', `the index ${indexName} is gone`);
    return { table, index };
  }
}

function kindOf(error: unknown): EngineErrorKind | undefined {
  return error instanceof EngineError ? error.kind : undefined;
}

function droppedMeanwhile(name: string, cause: unknown): EngineError {
  return new EngineError('writeFailed', `the index ${name} was dropped while it was built`, cause);
}
