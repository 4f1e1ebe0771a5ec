// The route of native queries: takes a statement, returns its rows.
import * as v from 'valibot';
import type { JsonText } from '../../foundation/json/json-value.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import type { NativeReply } from '../clusters/cluster.js';
import { closedObject } from '../errors/closed-object.js';
import { OpsError } from '../errors/ops-error.js';
import type { OpsParts } from './ops-parts.js';
import { needCluster, type Route, WholeReply } from './route.js';

const statement = 'must be a text of one statement';
const querySchema = closedObject({ query: v.pipe(v.string(statement), v.regex(/\S/, statement)) });
const replySchema = v.object({
  columns: v.array(v.object({ name: v.string(), type: v.string() })),
  rows: v.array(v.array(v.unknown())),
});

/** The route of native queries. */
export function nativeQueryRoute({ events }: OpsParts): Route<v.GenericSchema, typeof querySchema> {
  return {
    method: 'POST',
    path: '/{cluster_id}/cql',
    changesNothing: true,
    summary: 'Runs one statement of the native query language.',
    access: 'operator',
    body: querySchema,
    reply: replySchema,
    answer: async ({ body: { query }, caller, whenGone }, given) => {
      const cluster = needCluster(given);
      const left = new AbortController();
      whenGone(() => left.abort());
      const record = (success: boolean) =>
        events.append(cluster.id, {
          action: 'nativeQuery',
          level: 'INFO',
          message: `native query: ${headOf(query)}`,
          caller,
          success,
        });
      try {
        const body = replyText(await cluster.runNative(query, left.signal));
        record(true);
        return new WholeReply({
          status: 200,
          contentType: 'application/json',
          body,
          headers: { 'cache-control': 'no-store' },
        });
      } catch (error) {
        if (error instanceof OpsError) record(false);
        throw error;
      }
    },
  };
}

const shownLength = 200;

/** The beginning of a query before its values, which may be confidential. */
function headOf(query: string): string {
  const [head = ''] = query.split(/\(|['$]|\b(?:set|values|where)\b/i);
  const shown = head.replaceAll(/\s+/g, ' ').trim();
  return shortened(shown, shownLength);
}

/** `{"columns":[{"name":"id","type":"int"}],"rows":[[1]]}`; numbers keep all digits. */
function replyText({ columns, rows }: NativeReply): JsonText {
  const shown = columns.map(({ name, type }) => JSON.stringify({ name, type }));
  return `{"columns":[${shown.join(',')}],"rows":[${rows.map((row) => `[${row.join(',')}]`).join(',')}]}`;
}
