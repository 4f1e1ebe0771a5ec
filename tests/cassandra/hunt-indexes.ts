// Plays stories of tables on a node, and compares what filters find with a comparison of all rows.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { matchesFilter } from '../../src/data-service/query/filter.js';
import type { ReadPlan } from '../../src/data-service/query/read.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';
import {
  createTable,
  deleteRows,
  dropTable,
  finishedRead,
  insert,
  keyspace,
  readPlan,
  rowText,
  update,
} from '../conformance/engine-steps.js';
import { createIndex, createMemberIndex, dropIndex, presentTable } from '../conformance/index-steps.js';
import type { Write } from '../differential/scenario.js';
import { type Chapter, type Maintenance, type Story, storyOf } from './index-story.js';

/** What was compared. */
export interface Hunted {
  readonly reads: number;
  /** How many rows filters found. */
  readonly rows: number;
  /** What filters found otherwise than a comparison of all rows, with what replays it. */
  readonly differences: readonly string[];
}

interface Played {
  readonly seed: number;
  readonly story: Story;
  /** The table in the form in which it was made. */
  readonly table: Table;
}

/** A table of which nodes say different things by turns fails the hunt. */
const mostTries = 10;

/** Plays the stories of some seeds at once: one command lets the node flush or compact the tables of all. */
export async function huntIndexes(
  seeds: readonly number[],
  engine: Engine,
  cluster: CassandraNodes,
): Promise<Hunted> {
  const played: Played[] = [];
  for (const seed of seeds) {
    const story = storyOf(seed);
    played.push({ seed, story, table: await createTable(engine, story.shape) });
  }
  const hunted = { reads: 0, rows: 0, differences: [] as string[] };
  const chapters = Math.max(...played.map(({ story }) => story.chapters.length));
  for (let at = 0; at < chapters; at += 1) {
    await Promise.all(played.map((each) => write(engine, each, chapterOf(each, at))));
    for (const kind of ['flush', 'compact'] as const) await maintain(cluster, kind, played, at);
    await Promise.all(played.map((each) => compare(engine, each, at, hunted)));
  }
  for (const { table } of played) await dropTable(engine, table);
  return hunted;
}

function chapterOf({ story }: Played, at: number): Chapter {
  const chapter = story.chapters[at];
  assert.ok(chapter);
  return chapter;
}

/** Plans again where the table has changed meanwhile: an index lacks no rows any more, for example. */
async function onPresent<Result>(
  engine: Engine,
  { table }: Played,
  act: (table: Table) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const present = await presentTable(engine, table);
    try {
      return await act(present);
    } catch (error) {
      const isOutdated = error instanceof EngineError && error.kind === 'schemaChanged';
      if (!isOutdated || tries === mostTries) throw error;
    }
  }
}

async function write(engine: Engine, played: Played, { writes, dropped }: Chapter): Promise<void> {
  for (const each of writes) await onPresent(engine, played, (table) => writeOne(engine, table, each));
  for (const column of dropped) await onPresent(engine, played, (table) => dropIndex(engine, table, column));
}

function writeOne(engine: Engine, table: Table, write: Write): Promise<unknown> {
  switch (write.kind) {
    case 'insert':
      return insert(engine, table, ...write.rows);
    case 'change':
      return update(engine, table, write.key, write.clause);
    case 'delete':
      return deleteRows(engine, table, write.filter);
    case 'createIndex':
      return createIndex(engine, table, write.column, write.fold);
    case 'createMemberIndex':
      return createMemberIndex(engine, table, write.column, write.part, write.fold);
    case 'createVectorIndex':
      throw new TypeError('stories have no vectors');
  }
}

async function maintain(
  cluster: CassandraNodes,
  kind: Maintenance,
  played: readonly Played[],
  at: number,
): Promise<void> {
  const names = played
    .filter((each) => chapterOf(each, at).maintenance === kind)
    .map(({ table }) => table.name);
  const [node] = cluster.nodes;
  assert.ok(node);
  if (names.length > 0) await cluster.runNodetool(node, kind, keyspace, ...names);
}

async function compare(
  engine: Engine,
  played: Played,
  at: number,
  hunted: { reads: number; rows: number; differences: string[] },
): Promise<void> {
  const all = await onPresent(engine, played, (table) => finishedRead(engine, readPlan(table)));
  for (const [number, filter] of chapterOf(played, at).filters.entries()) {
    const texts = await onPresent(engine, played, async (table) => {
      const plan: ReadPlan = readPlan(table, filter, number % 2 === 0 ? { order: null } : {});
      const places = new Map(table.columns.map((column, place) => [column, place]));
      const expected = all.rows.filter((row) =>
        matchesFilter(plan.filter, (column) => row[places.get(column) ?? -1] ?? null),
      );
      const found = await finishedRead(engine, plan);
      return [found.rows, expected].map((rows) => rows.map((row) => rowText(plan, row)).toSorted());
    });
    hunted.reads += 1;
    hunted.rows += texts[1]?.length ?? 0;
    if (!isDeepStrictEqual(texts[0], texts[1])) hunted.differences.push(describe(played, at, filter, texts));
  }
}

function describe(
  { seed, story }: Played,
  at: number,
  filter: string,
  texts: readonly (readonly string[])[],
): string {
  return [
    `An index finds other rows. Replay: the same test with COLONNADE_TEST_SEED=${seed}`,
    JSON.stringify(story.shape),
    ...story.chapters
      .slice(0, at + 1)
      .flatMap(({ writes, dropped, maintenance }) => [
        ...writes.map((each) => JSON.stringify(each)),
        ...dropped.map((column) => `drop the index of ${column}`),
        maintenance,
      ]),
    `filter: ${filter}`,
    `found:    ${texts[0]?.join(' ')}`,
    `expected: ${texts[1]?.join(' ')}`,
  ].join('\n');
}
