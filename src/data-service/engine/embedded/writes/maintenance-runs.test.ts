// Checks that a step of maintenance waits for the analysis of long texts, and does nothing before.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { text } from '../../../column-types/text.js';
import { makeColumn, type Table, type TextIndex } from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { sqlColumn, sqlTable } from '../file/sql-names.js';
import {
  type AnalyzedText,
  mostOwnUnits,
  TextsToAnalyze,
  textFunctions,
  withAnalyzed,
} from '../file/text-functions.js';
import { buildSegments } from '../postings/build-segments.js';
import { usualSegmentSizes } from '../postings/keep-segments.js';
import { createTextStatements, textBuild } from '../statements/text-statements.js';
import { JobCommits } from './commit-jobs.js';
import { runStep } from './maintenance-runs.js';
import type { StepReply } from './writer-messages.js';

/** A table with texts in rows from 1, and a text index that is to be built. */
function openBuild(texts: readonly string[]) {
  const database = openDatabase({ path: ':memory:', functions: textFunctions });
  const column = makeColumn(1, { name: 'content', type: text });
  const index: TextIndex = { kind: 'text', id: 2, name: 'i', column, analyzer: analyzerOf('"standard"') };
  const table = { id: 7 } as Table; // of which the statements read the id
  database.exec(`CREATE TABLE ${sqlTable(table)} (row_id INTEGER PRIMARY KEY, ${sqlColumn(column)} TEXT)`);
  const insert = database.statement(`INSERT INTO ${sqlTable(table)} VALUES (?, ?)`);
  for (const [at, stored] of texts.entries()) insert.run([at + 1, stored]);
  for (const { sql } of createTextStatements(table, index)) database.exec(sql);
  return { database, build: textBuild(table, index) };
}

it('ends a step of a text index when its time is up, and before a text that is to be analyzed elsewhere', () => {
  const stored = 'A red house. '.repeat(mostOwnUnits / 10);
  const { database, build } = openBuild(['one', 'two', 'three', stored, 'four']);
  const argument = { ...build, sizes: usualSegmentSizes, count: 10 };
  const built = () =>
    database.statement(`SELECT built FROM ${build.tables.progress}`, { returnArrays: true }).get()?.[0];
  const step = (isTimeUp: () => boolean) =>
    withAnalyzed([], mostOwnUnits, buildSegments, database, argument, isTimeUp);
  assert.deepEqual([step(() => true), built()], [{ isDone: false }, 1]);
  assert.deepEqual([step(() => false), built()], [{ isDone: false }, 3]);
  const wanted = database.transaction(() => step(() => false));
  assert.ok(wanted instanceof TextsToAnalyze);
  assert.equal(wanted.texts[0]?.stored, stored);
  database.close();
});

it('builds a text index with long texts after these were analyzed', () => {
  const stored = 'A red house. '.repeat(mostOwnUnits / 10);
  const { database, build } = openBuild([stored]);
  const asked: ((texts: readonly AnalyzedText[] | undefined) => void)[] = [];
  const replies: StepReply[] = [];
  const parts = {
    database,
    commits: new JobCommits(database, new Map(), { commitDelayMs: 0 }),
    analysis: { analyze: (_: unknown, settle: (typeof asked)[number]) => void asked.push(settle) },
  };
  const argument = { ...build, sizes: usualSegmentSizes, count: 10 };
  runStep(parts, { stepId: 1, step: 'buildTextIndex', argument }, (reply) => replies.push(reply));
  const built = () =>
    database.statement(`SELECT built FROM ${build.tables.progress}`, { returnArrays: true }).get();
  assert.deepEqual([replies, asked.length, built()], [[], 1, [0]]);
  asked[0]?.([{ stored, definition: '"standard"', tokens: Buffer.from('1\u0000red\u0000') }]);
  assert.deepEqual(replies, [{ stepId: 1, result: { isDone: false }, failure: undefined }]);
  assert.deepEqual([asked.length, built()], [1, [1]]);
  database.close();
});
