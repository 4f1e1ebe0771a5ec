// Columns are dropped as of a later time: values that another client writes meanwhile count as dropped, too. Where they
// do not, Cassandra 5.0 cannot read their rows.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { ColumnDefinition, Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import type { TableName } from '../change-host.js';
import { quotedName, quotedTable } from '../cql-names.js';
import { readDropTimes } from './schema-rows.js';

/** Within so much time, the nodes agree on a schema, and carry out or refuse what they got before. */
const leadMs = 10_000;
/** The clocks of the servers, of other clients and of the nodes differ by less. */
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
 * Resolves when values of new columns can be read, whatever client writes them: those whose time is before that of the
 * last drop of a column of the same name count as dropped with it. This takes 20 s at most.
 * @throws EngineError `refused` where another client chose a later time; CassandraFailure
 */
export async function untilValuesCount(
  {
    table,
    columns,
  }: { readonly table: TableName; readonly columns: readonly Pick<ColumnDefinition, 'name'>[] },
  session: Pick<CqlSession, 'nodes'>,
  clock: Pick<Clock, 'nowMs'>,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<void> {
  const times = await readDropTimes(session, table);
  for (const { name } of columns) {
    const droppedMs = times.get(name) ?? Number.NEGATIVE_INFINITY;
    const leftMs = droppedMs + 1 - clock.nowMs(); // by this clock, which may be ahead of that of a writer
    if (leftMs > leadMs + mostSkewMs)
      throw new EngineError(
        'refused',
        `a client dropped the column ${name} as of ${new Date(droppedMs).toISOString()}: ` +
          'values that are written before that time would be lost; add the column then, or use another name',
      );
    if (leftMs + mostSkewMs > 0) await wait(leftMs + mostSkewMs);
  }
}
