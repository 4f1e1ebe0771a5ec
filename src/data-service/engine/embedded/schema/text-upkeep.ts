// Keeps text indexes fast while rows change: requests the steps of the writer thread that move logged texts to segments
// and merge segments, between other writes.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table, TextIndex } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import type { SegmentSizes } from '../postings/keep-segments.js';
import { textTables } from '../statements/text-statements.js';
import type { DocumentWork } from '../writes/document-work.js';
import type { PackedRequest, WriteRequest, Writer } from '../writes/writer.js';
import type { SchemaHolder } from './schema-holder.js';

/** The parts that the upkeep uses. */
export interface TextUpkeepParts {
  readonly writer: Pick<Writer, 'runStep'>;
  readonly schema: Pick<SchemaHolder, 'tableWithId'>;
  readonly sizes: SegmentSizes;
}

/** A write of rows, or work on documents. */
export type NotedWrite = WriteRequest | PackedRequest | DocumentWork;

/** The maximum number of steps that are requested at a time: other writes wait for all of them. */
const mostSteps = 4;
/** A table without writes for so long is at rest. */
const restMs = 2_000;

/** The upkeep of all text indexes. */
export class TextUpkeep {
  readonly #parts: TextUpkeepParts;
  readonly #onWarning: (error: unknown) => void;
  /** The number of writes since the last steps, by the id of the table. */
  readonly #writes = new Map<number, number>();
  /** By the id of the table. */
  readonly #running = new Map<number, Promise<void>>();
  /** By the id of the table: each runs out when the table is at rest. */
  readonly #rests = new Map<number, NodeJS.Timeout>();
  #isClosing = false;

  constructor(parts: TextUpkeepParts, onWarning: (error: unknown) => void) {
    this.#parts = parts;
    this.#onWarning = onWarning;
  }

  /** Does what an earlier process left undone. */
  startAll({ keyspaces }: Schema): void {
    for (const { tables } of keyspaces.values())
      for (const { id, indexes } of tables.values()) if (indexes.some(isText)) this.start(id);
  }

  noteWrites({ id, indexes }: Pick<Table, 'id' | 'indexes'>, write: NotedWrite): void {
    if (!indexes.some(isText)) return;
    this.#writes.set(id, (this.#writes.get(id) ?? 0) + textsOf(write));
    this.#startIfMany(id);
    this.#waitForRest(id);
  }

  /** Runs the steps of a table until none is left, unless they are running; further ones follow when it is at rest. */
  start(tableId: number): void {
    this.#startSteps(tableId, false);
    this.#waitForRest(tableId);
  }

  #waitForRest(tableId: number): void {
    if (this.#isClosing) return;
    const present = this.#rests.get(tableId);
    if (present !== undefined) {
      present.refresh();
      return;
    }
    const rest = setTimeout(() => {
      if (this.#running.has(tableId)) {
        rest.refresh();
        return;
      }
      this.#rests.delete(tableId);
      this.#startSteps(tableId, true);
    }, restMs);
    this.#rests.set(tableId, rest.unref());
  }

  /** A failure causes a warning. */
  #startSteps(tableId: number, isAtRest: boolean): void {
    if (this.#isClosing || this.#running.has(tableId)) return;
    this.#writes.delete(tableId);
    const running = this.#run(tableId, isAtRest)
      .catch((error) => {
        const isEnd =
          error instanceof EngineError && (error.kind === 'closed' || error.kind === 'schemaChanged');
        if (!isEnd) this.#onWarning(error);
      })
      .then(() => {
        this.#running.delete(tableId);
        this.#startIfMany(tableId);
      });
    this.#running.set(tableId, running);
  }

  #startIfMany(tableId: number): void {
    if ((this.#writes.get(tableId) ?? 0) >= this.#parts.sizes.texts / 4) this.#startSteps(tableId, false);
  }

  /** Stops after the current steps; the next start continues. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const rest of this.#rests.values()) clearTimeout(rest);
    await Promise.all(this.#running.values());
  }

  /** At rest, it ends when the table is written. */
  async #run(tableId: number, isAtRest: boolean): Promise<void> {
    const { schema, writer, sizes } = this.#parts;
    for (const { id, name } of schema.tableWithId(tableId)?.indexes ?? []) {
      for (let left = 1; left > 0; ) {
        const table = schema.tableWithId(tableId);
        const index = table?.indexes.find((each) => each.id === id && each.name === name);
        const isWritten = isAtRest && this.#writes.has(tableId);
        if (this.#isClosing || isWritten || table === undefined || index?.kind !== 'text') break;
        const argument = { tables: textTables(table, index), sizes, isAtRest };
        const steps = Array.from({ length: isAtRest ? 1 : Math.min(left, mostSteps) }, () =>
          writer.runStep('keepSegments', argument),
        );
        const results = await Promise.all(steps);
        left = results.at(-1)?.left ?? 0;
      }
    }
  }
}

/** A delete, or a write of a guest, is assumed to change so many texts: they are not known here. */
const assumedTexts = 250;
/** Longer values count as several texts. In characters or bytes. */
const usualLength = 2_000;

/** About the number of texts of usual length that a write changes. */
function textsOf(write: NotedWrite): number {
  if ('packed' in write) return assumedTexts;
  if ('kind' in write) return write.kind === 'insert' ? write.documents.length * 4 : write.keys.length * 4;
  let texts = 0;
  for (const { sql, valueSets } of write.statements) {
    if (sql.startsWith('DELETE')) texts += assumedTexts;
    else for (const values of valueSets) texts += 1 + longParts(values);
  }
  return texts;
}

function longParts(values: readonly SqlValue[]): number {
  let parts = 0;
  for (const value of values)
    if (typeof value === 'string' && value.length > usualLength)
      parts += Math.floor(value.length / usualLength);
  return parts;
}

function isText(index: Table['indexes'][number]): index is TextIndex {
  return index.kind === 'text';
}
