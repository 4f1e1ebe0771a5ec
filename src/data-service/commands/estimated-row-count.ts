// estimatedRowCount, a command of the operations port, and the count that it shares with estimatedDocumentCount.
import type { Engine } from '../engine/engine.js';
import { matchAll } from '../query/filter.js';
import { finishRead, type ReadPlan } from '../query/read.js';
import type { Table } from '../schema/table.js';
import { tableCommand } from './command.js';
import type { Reply } from './reply.js';
import { noOptions, object } from './shape.js';

/** Rows are read to be counted up to here, where the engine cannot count them otherwise. */
const mostRead = 1_000;

/** A count, and whether there are more. */
export interface EstimatedCount {
  readonly count: number;
  readonly hasMore: boolean;
}

export const estimatedRowCount = tableCommand({
  name: 'estimatedRowCount',
  help: `The number of rows: exact up to two million, else about right. On a cluster rows are read to count them, up to ${mostRead}; \`moreData\` says that there are more.`,
  kind: 'read',
  shape: object({ options: noOptions('estimatedRowCount') }),
  plan: (command, { table }) => ({ table, command }),
  execute: ({ table, command }, engine) => estimateCount(table, command, engine),
  respond: countReply,
});

/** About how many rows or documents there are; `command` is that of the read, see `ReadPlan`. */
export async function estimateCount(table: Table, command: object, engine: Engine): Promise<EstimatedCount> {
  if (engine.estimateCount !== undefined) return { count: await engine.estimateCount(table), hasMore: false };
  const read: ReadPlan = {
    table,
    filter: matchAll,
    columns: table.keyColumns,
    order: null,
    page: { after: null, limit: mostRead, kind: 'paged', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: null,
    command,
  };
  const { rows, next } = await finishRead(read, await engine.readRows(read));
  return { count: rows.length, hasMore: next !== null };
}

export function countReply({ count, hasMore }: EstimatedCount): Reply {
  return { status: [['count', String(count)], ...(hasMore ? [['moreData', 'true'] as const] : [])] };
}
