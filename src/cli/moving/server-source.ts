// A running server as the source of an import: no files are between the two servers.
import { createHash } from 'node:crypto';
import { isJsonObject, stringifyJson } from '../../foundation/json/json-value.js';
import type { DataPort } from '../data-port.js';
import { readReply } from '../operations-port.js';
import { readDefinitions, readPages } from '../tables/read-tables.js';
import { keyColumns } from '../tables/table-definition.js';
import { type InsertedRows, sourceOfProgress } from './import-progress.js';
import { columnDefinitions, lineWriter } from './line-writer.js';
import type { MoveReport } from './move-report.js';
import { type MovedTable, movedTable } from './moved-table.js';
import { hasTablesOf, isContinuable, pageStatesOf } from './page-place.js';
import type { Line } from './row-file.js';
import { newestFormat, type RowFormat } from './row-format.js';
import type { RowSource } from './row-source.js';

/** Where the tables are. */
export interface ServerTables {
  readonly port: DataPort;
  readonly keyspace: string;
  /** Undefined for all tables. */
  readonly names: readonly string[] | undefined;
  /** The file with the progress of the import. */
  readonly progressPath: string;
}

/**
 * The tables of a keyspace of a server. An import that an earlier version began continues in its format.
 * @throws DataPortProblem if one of the names is missing, ExportProblem for a progress that cannot be read, Interrupted
 */
export async function serverSource(
  { port, keyspace, names, progressPath }: ServerTables,
  report: Pick<MoveReport, 'line'>,
): Promise<RowSource> {
  const definitions = await readDefinitions(port, keyspace, names);
  const restart = { line: report.line, command: 'import' } as const;
  const begun = sourceOfProgress(progressPath);
  const { format, hash } =
    [hashOf(keyspace, newestFormat), ...earlierHashesOf(port, keyspace)].find(
      (known) => known.hash === begun,
    ) ?? hashOf(keyspace, newestFormat);
  return {
    ...{ title: 'the source', keyspace, tables: definitions.map(movedTable), isPaged: true },
    hash,
    server: {
      url: port.url,
      isSame: (done) =>
        hasTablesOf(
          port,
          keyspace,
          definitions,
          pageStatesOf(done, ({ place }) => place?.pageState),
        ),
    },
    writerOf: ({ kind }, columns) => lineWriter(kind, columns, format),
    rowsOf: () => undefined,
    isContinuable: (table, { place }) => isContinuable(port, keyspace, table, place, restart),
    check: async () => {},
    isDone: (_, { place }) => place?.isDone === true,
    lines: (table, done) => linesFrom({ port, keyspace, format }, table, done),
    placeOf: (table, line) => `${table.name}: the row ${keyText(table, line)}`,
  };
}

/** The hash of a source, which has the format of its lines: checksums of different formats differ. */
interface FormatHash {
  readonly format: RowFormat;
  readonly hash: string;
}

function hashOf(keyspace: string, format: RowFormat): FormatHash {
  return { format, hash: sha256(`tables of ${keyspace} in the format ${format}`) };
}

/** The hashes of imports that an earlier version began: these imports continue at the same URL only. */
function earlierHashesOf({ url }: DataPort, keyspace: string): readonly FormatHash[] {
  return [
    { format: 1, hash: sha256(`${url} ${keyspace}`) },
    { format: 2, hash: sha256(`${url} ${keyspace} 2`) },
  ];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The rows after those that are done, in the order of pages. */
async function* linesFrom(
  {
    port,
    keyspace,
    format,
  }: { readonly port: DataPort; readonly keyspace: string; readonly format: RowFormat },
  table: MovedTable,
  { lines, place }: InsertedRows,
): AsyncGenerator<readonly Line[]> {
  const write = lineWriter(table.kind, columnDefinitions(table), format);
  let [number, present] = [lines, place?.pageState ?? null];
  for await (const { rows, pageState } of readPages(port, keyspace, table, present)) {
    const last = rows.length - 1;
    const next = { pageState: pageState ?? present, isDone: pageState === null };
    const first = number + 1;
    yield rows.map((row, at) => {
      const line = { number: first + at, text: write(row) };
      return at === last ? { ...line, place: next } : line;
    });
    number += rows.length;
    present = next.pageState;
  }
}

/** The members of the primary key as JSON; the row of a server has no line that messages could name. */
function keyText(table: MovedTable, { text }: Line): string {
  const row = readReply(text);
  const keys = keyColumns(table);
  return isJsonObject(row) ? stringifyJson(new Map([...row].filter(([name]) => keys.includes(name)))) : text;
}
