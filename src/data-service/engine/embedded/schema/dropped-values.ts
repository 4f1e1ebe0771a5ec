// Removes the values of dropped columns from the rows, in small steps, so that new columns can use their slots.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { filledColumns } from '../file/column-slots.js';
import type { Writer } from '../writes/writer.js';
import type { SchemaHolder } from './schema-holder.js';

/** The parts that emptying columns uses. */
export interface DroppedValuesParts {
  readonly writer: Pick<Writer, 'runStep'>;
  readonly clock: Clock;
  readonly schema: Pick<SchemaHolder, 'noteEmptied'>;
}

/** If more dropped columns have values, they are emptied at once: each takes a byte in every new row. */
const mostFilled = 64;
/** The number of rows of a step, adjusted by the duration of the last step, because rows can be large. */
const rowsPerStep = { first: 100, least: 10, most: 500 } as const;
const stepMs = 20;

/**
 * Empties the dropped columns of the table, and records in the schema that they are empty.
 * @returns the number of rows that had values; undefined if it was stopped @throws EngineError
 */
export async function removeDroppedValues(
  table: Table,
  { writer, clock, schema }: DroppedValuesParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const columnIds = filledColumns(table).map(({ id }) => id);
  if (columnIds.length === 0) return 0;
  let count: number = rowsPerStep.first;
  let emptied = 0;
  for (let after: number | null = 0; after !== null; ) {
    if (signal.aborted) return undefined;
    const startedMs = clock.monotonicMs();
    const argument = { tableId: table.id, columnIds, after, count };
    const step: { emptied: number; last: number | null } = await writer.runStep('emptyColumns', argument);
    const elapsedMs = clock.monotonicMs() - startedMs;
    if (elapsedMs > stepMs * 1.5) count = Math.max(rowsPerStep.least, Math.floor(count / 2));
    else if (elapsedMs < stepMs / 2) count = Math.min(rowsPerStep.most, count * 2);
    emptied += step.emptied;
    after = step.last;
  }
  await schema.noteEmptied(table.id, new Set(columnIds));
  return emptied;
}

/** Empties dropped columns when they are many, or when new ones need their slots. */
export class DroppedValues {
  readonly #parts: DroppedValuesParts;
  readonly #onWarning: (error: unknown) => void;
  readonly #ending = new AbortController();
  /** By the ids of tables. */
  readonly #running = new Map<number, Promise<unknown>>();

  constructor(parts: DroppedValuesParts, onWarning: (error: unknown) => void) {
    this.#parts = parts;
    this.#onWarning = onWarning;
  }

  /** Empties the dropped columns of a table; simultaneous calls wait for the same work. @throws EngineError */
  async remove(table: Table): Promise<void> {
    await getOrMake(this.#running, table.id, (id) =>
      removeDroppedValues(table, this.#parts, this.#ending.signal).finally(() => this.#running.delete(id)),
    );
  }

  /** Empties them in the background if they are many. A failure causes a warning: the next drop tries again. */
  removeMany(table: Table): void {
    if (filledColumns(table).length <= mostFilled || this.#running.has(table.id)) return;
    this.remove(table).catch((error) => {
      const isEnd = error instanceof EngineError && error.kind === 'closed';
      if (!isEnd) this.#onWarning(error);
    });
  }

  /** Stops after the current step. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#running.values());
  }
}
