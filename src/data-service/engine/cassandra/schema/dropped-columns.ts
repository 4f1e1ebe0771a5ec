// Columns are dropped as of a later time: values that another client writes meanwhile count as dropped, too. Where they
// do not, Cassandra 5.0 cannot read their rows.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { ColumnDefinition, Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { quotedName, quotedTable } from '../cql-names.js';
import { readDropTimes } from './schema-rows.js';

/** Within so much time, the nodes agree on a schema, and carry out or refuse what they got before. */
const leadMs = 10_000;
/** The clocks of two servers, and of the nodes, differ by less. */
const mostSkewMs = 5_000;

/**
 * Drops columns with all values that are written in the next 10 s. `nowMicros`: the present time in µs since 1970, not
 * before that of any write of this process. The statement must be sent at once.
 */
export function dropColumnsStatement(table: Table, names: readonly string[], nowMicros: number): string {
  const columns = names.map(quotedName).join(', ');
  return `ALTER TABLE ${quotedTable(table)} DROP (${columns}) USING TIMESTAMP ${nowMicros + leadMs * 1_000}`;
}

/**
 * Resolves when values of new columns can be read: those that are written before the time of the last drop of a column
 * of the same name count as dropped with it. This takes 15 s at most.
 * @throws EngineError `refused` where another client chose a later time; CassandraFailure
 */
export async function untilValuesCount(
  { table, columns }: { readonly table: Table; readonly columns: readonly Pick<ColumnDefinition, 'name'>[] },
  session: Pick<CqlSession, 'firstNode'>,
  clock: Pick<Clock, 'nowMs'>,
): Promise<void> {
  const times = await readDropTimes(session, table);
  for (const { name } of columns) {
    const droppedMs = times.get(name) ?? Number.NEGATIVE_INFINITY;
    const leftMs = droppedMs + 1 - clock.nowMs();
    if (leftMs > leadMs + mostSkewMs)
      throw new EngineError(
        'refused',
        `a client dropped the column ${name} as of ${new Date(droppedMs).toISOString()}: ` +
          'values that are written before that time would be lost; add the column then, or use another name',
      );
    if (leftMs > 0) await pause(leftMs);
  }
}
