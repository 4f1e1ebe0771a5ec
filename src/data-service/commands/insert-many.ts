// insertMany (wire: insertMany; differences: it stores its good rows beside the errors).
import type { JsonObject, JsonText } from '../../foundation/json/json-value.js';
import { ApiError } from '../errors/api-error.js';
import { type ParsedRow, parseRow, type TextForVector, withVectors } from '../schema/parse-row.js';
import type { Table } from '../schema/table.js';
import { tableCommand } from './command.js';
import { toApiError } from './engine-failure.js';
import { insertedKey, primaryKeySchema } from './inserted-key.js';
import type { Reply } from './reply.js';
import { flag, object, objects, options } from './shape.js';
import { textToEmbed } from './text-to-embed.js';

const maxRows = 100;

/** What is known of one row before it is stored. */
type PlannedRow =
  | { readonly kind: 'good'; readonly row: ParsedRow }
  | { readonly kind: 'bad'; readonly error: ApiError }
  /** Behind the first failure of an ordered command. */
  | { readonly kind: 'skipped' };

interface Plan {
  readonly table: Table;
  readonly rows: readonly PlannedRow[];
  readonly returnDocumentResponses: boolean;
}

/** What became of one row. */
type RowResult =
  | { readonly kind: 'stored'; readonly key: JsonText }
  | { readonly kind: 'skipped'; readonly key: JsonText }
  | { readonly kind: 'failed'; readonly key: JsonText; readonly error: ApiError };

export const insertMany = tableCommand({
  name: 'insertMany',
  help: 'Stores 1 to 100 rows; rows that cannot be stored are reported beside those that are.',
  kind: 'write',
  shape: object({
    documents: objects(1, maxRows),
    options: options({ ordered: flag, returnDocumentResponses: flag }),
  }),
  plan: ({ documents, options: { ordered, returnDocumentResponses } }, { table }): Plan => {
    return { table, rows: planRows(documents, table, ordered), returnDocumentResponses };
  },
  textsToEmbed: ({ rows }) =>
    rows.flatMap(textsOf).map(({ column, text }) => textToEmbed(column, text, 'passage')),
  withEmbeddings: ({ rows, ...plan }, vectors) => {
    let used = 0;
    const filled = rows.map((planned): PlannedRow => {
      if (planned.kind !== 'good') return planned;
      const own = vectors.slice(used, used + planned.row.texts.length);
      used += own.length;
      return { kind: 'good', row: withVectors(planned.row, own, plan.table) };
    });
    return { ...plan, rows: filled };
  },
  execute: async ({ table, rows }, engine): Promise<readonly RowResult[]> => {
    const good = rows.flatMap((planned) => (planned.kind === 'good' ? [planned.row.assignments] : []));
    const outcome = good.length === 0 ? [] : (await engine.insertRows({ table, rows: good })).rows;
    const outcomes = outcome.values();
    return rows.map((planned): RowResult => {
      if (planned.kind === 'skipped') return { kind: 'skipped', key: '[]' };
      if (planned.kind === 'bad') return { kind: 'failed', key: '[]', error: planned.error };
      const key = insertedKey(planned.row.assignments, table);
      const failure = outcomes.next().value ?? null;
      return failure === null ? { kind: 'stored', key } : { kind: 'failed', key, error: toApiError(failure) };
    });
  },
  respond: (results, { table, returnDocumentResponses }) =>
    returnDocumentResponses ? respondPerRow(results, table) : respondWithKeys(results, table),
});

function textsOf(planned: PlannedRow): readonly TextForVector[] {
  return planned.kind === 'good' ? planned.row.texts : [];
}

function planRows(documents: readonly JsonObject[], table: Table, isOrdered: boolean): readonly PlannedRow[] {
  let hasFailed = false;
  return documents.map((document) => {
    if (hasFailed && isOrdered) return { kind: 'skipped' };
    try {
      return { kind: 'good', row: parseRow(document, table) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      hasFailed = true;
      return { kind: 'bad', error };
    }
  });
}

function respondWithKeys(results: readonly RowResult[], table: Table): Reply {
  const keys = results.flatMap((result) => (result.kind === 'stored' ? [result.key] : []));
  const errors = results.flatMap((result) => (result.kind === 'failed' ? [result.error] : []));
  if (keys.length === 0) return { errors };
  return {
    status: [
      ['insertedIds', `[${keys.join(',')}]`],
      ['primaryKeySchema', primaryKeySchema(table)],
    ],
    errors,
  };
}

function respondPerRow(results: readonly RowResult[], table: Table): Reply {
  const errors: ApiError[] = [];
  const responses = results.map((result) => {
    if (result.kind === 'stored') return `{"_id":${result.key},"status":"OK"}`;
    if (result.kind === 'skipped') return `{"_id":${result.key},"status":"SKIPPED"}`;
    let place = errors.findIndex((error) => isSameError(error, result.error));
    if (place < 0) place = errors.push(result.error) - 1;
    return `{"_id":${result.key},"status":"ERROR","errorsIdx":${place}}`;
  });
  const hasKeys = results.some(({ key }) => key !== '[]');
  return {
    status: [
      ['documentResponses', `[${responses.join(',')}]`],
      ...(hasKeys ? [['primaryKeySchema', primaryKeySchema(table)] as const] : []),
    ],
    errors,
  };
}

function isSameError(left: ApiError, right: ApiError): boolean {
  return left.code === right.code && left.scope === right.scope && left.message === right.message;
}
