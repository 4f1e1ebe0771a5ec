// The steps in which vector indexes are loaded: each is short, however few rows have vectors and however many indexes
// there are, because searches wait for a step.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FollowedIndexes } from '../../src/data-service/engine/embedded/vectors/followed-indexes.js';
import {
  type IndexSurroundings,
  StoredIndex,
} from '../../src/data-service/engine/embedded/vectors/stored-index.js';
import type { IndexPlace } from '../../src/data-service/engine/embedded/vectors/vector-messages.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { newDataDirectory } from '../conformance/open-embedded.js';

/** A table with rows of these numbers, and an index on them; `vectorsFrom`: earlier ones have no vectors. */
interface Filled {
  readonly name: string;
  readonly rowIds: readonly number[];
  readonly vectorsFrom: number;
}

function open(tables: readonly Filled[]): { surroundings: IndexSurroundings; places: readonly IndexPlace[] } {
  const database = openDatabase({ path: join(newDataDirectory(), 'data.db') });
  after(() => database.close());
  let readings = 0;
  const clock = { nowMs: () => 0, monotonicMs: () => 6 * readings++ };
  const places = tables.map(({ name, rowIds, vectorsFrom }) => {
    database.statement(`CREATE TABLE ${name} (row_id INTEGER PRIMARY KEY, c)`).run();
    database.statement(`CREATE TABLE log_${name} (sequence INTEGER PRIMARY KEY, row_id)`).run();
    const insert = database.statement(`INSERT INTO ${name} VALUES (?, ?)`);
    database.statement('BEGIN').run();
    for (const id of rowIds) insert.run([id, id < vectorsFrom ? null : new Uint8Array(8).fill(1)]);
    database.statement('COMMIT').run();
    return { log: `log_${name}`, table: name, column: 'c', dimension: 2, metric: 'euclidean' as const };
  });
  const onWarning = (problem: string) => assert.fail(problem);
  return { surroundings: { database, directory: undefined, quantization: 'int8', clock, onWarning }, places };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('loading a vector index', () => {
  it('looks through rows without vectors in several steps, and passes over gaps in one', () => {
    const rowIds = [...upTo(10_000), 10 ** 12, 10 ** 12 + 1];
    const { surroundings, places } = open([{ name: 't', rowIds, vectorsFrom: 9_999 }]);
    const [place] = places;
    assert.ok(place !== undefined);
    const index = new StoredIndex(place, surroundings, false);
    let steps = 0;
    while (!index.isLoaded) {
      index.step(() => {});
      steps += 1;
    }
    assert.ok(steps > 3 && steps < 50, `${steps} steps`);
    const { hits } = index.search({ query: Float32Array.of(0, 1), hitCount: 10, hasMoreChanges: false });
    assert.deepEqual(
      hits.map(({ label }) => label).sort((left, right) => left - right),
      [9_999, 10_000, 10 ** 12, 10 ** 12 + 1],
    );
  });

  it('leaves turns to searches between the steps of many indexes', async () => {
    const tables = upTo(20).map((at) => ({ name: `t${at}`, rowIds: upTo(300), vectorsFrom: 0 }));
    const { surroundings, places } = open(tables);
    let isCaughtUp = false;
    const indexes = new FollowedIndexes(surroundings, ({ kind }) => {
      isCaughtUp ||= kind === 'caughtUp';
    });
    indexes.follow(places, false);
    let turns = 0;
    while (!isCaughtUp) {
      await nextTurn();
      turns += 1;
    }
    assert.ok(turns > 20, `${turns} turns`);
    for (const { log } of places) assert.ok(indexes.get(log)?.isLoaded);
    await indexes.close();
  });
});
