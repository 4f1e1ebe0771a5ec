// When an index is saved: a snapshot that cannot be written is tried again, and one with unlinked rows is replaced.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sqlColumn, sqlTable, sqlVectorLog } from '../../src/data-service/engine/embedded/file/sql-names.js';
import { bestToWalkOn, type GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { restoreSnapshot } from '../../src/data-service/engine/embedded/vectors/snapshot.js';
import {
  type SaveOutcome,
  StoredIndex,
} from '../../src/data-service/engine/embedded/vectors/stored-index.js';
import type { IndexPlace } from '../../src/data-service/engine/embedded/vectors/vector-messages.js';
import { vectorIndexOn } from '../../src/data-service/schema/table.js';
import { memoryOutside } from '../../src/foundation/memory-outside.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { SearchedTable } from './searched-table.js';

const dimension = 4;
const rows = 5100;
const shape: GraphShape = {
  dimension,
  metric: 'euclidean',
  walksOn: bestToWalkOn(dimension, 'int8'),
  maxRows: 2 ** 22,
};

/** A data file with a vector index that has no snapshot. */
async function makeFile(directory: string): Promise<IndexPlace> {
  const engine = await openEmbedded(directory);
  const searched = await SearchedTable.make(engine, dimension, 'euclidean');
  await searched.put(clusteredVectors(seededRandom(8), rows, dimension).map((vector, id) => [id, vector]));
  await searched.createIndex();
  await engine.close();
  const { table } = searched;
  const column = table.columnsByName.get('v');
  const index = column && vectorIndexOn(table, column);
  assert.ok(index);
  const log = sqlVectorLog(table, index);
  return { log, table: sqlTable(table), column: sqlColumn(column), dimension, metric: 'euclidean' };
}

describe('the snapshot of an index', () => {
  const directory = newDataDirectory();
  const snapshots = join(directory, 'snapshots');
  let place: IndexPlace;
  let database: Database;
  let nowMs = 0;
  let outcomes: SaveOutcome[] = [];
  let warnings: string[] = [];
  const onSaved = (outcome: SaveOutcome) => outcomes.push(outcome);

  before(async () => {
    place = await makeFile(directory);
    database = openDatabase({ path: join(directory, 'data.db'), readOnly: true });
  });
  after(() => database.close());

  function opened(): StoredIndex {
    rmSync(snapshots, { recursive: true, force: true });
    mkdirSync(snapshots);
    outcomes = [];
    warnings = [];
    return reopened();
  }

  function reopened(): StoredIndex {
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    const onWarning = (problem: string) => warnings.push(problem);
    const surroundings = { database, directory: snapshots, quantization: 'int8' as const, clock, onWarning };
    return new StoredIndex(place, surroundings, true);
  }

  const target = () => join(snapshots, `${place.log}.graph`);

  /** Makes a directory with the name of the snapshot. */
  function block(): void {
    mkdirSync(join(target(), 'in-the-way'), { recursive: true });
  }

  /** Steps until there is nothing to do, and until a snapshot that was begun is reported. */
  async function idle(index: StoredIndex): Promise<void> {
    const before = outcomes.length;
    while (index.step(onSaved)) {}
    if (!existsSync(`${target()}.new`)) return;
    while (outcomes.length === before) await nextTurn();
  }

  it('is reported where it cannot be written, and tried again a minute later, without changes', async () => {
    const index = opened();
    block();
    await idle(index);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['failed'],
    );
    assert.equal(existsSync(`${target()}.new`), false);
    rmSync(target(), { recursive: true });
    nowMs += 59_000;
    await idle(index);
    assert.deepEqual(outcomes.length, 1);
    nowMs += 1_000;
    await idle(index);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['failed', 'saved'],
    );
    nowMs += 60_000;
    await idle(index);
    assert.equal(outcomes.length, 2, 'saved once');
  });

  it('is tried again when the index is closed, also soon after it failed', async () => {
    const index = opened();
    block();
    await idle(index);
    await index.close(onSaved);
    rmSync(target(), { recursive: true });
    await index.close(onSaved);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['failed', 'failed', 'saved'],
    );
    assert.ok(existsSync(target()));
  });

  it('leaves nothing for the next start, also when the process was killed', async () => {
    const index = opened();
    await idle(index);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['saved'],
    );
    writeFileSync(`${target()}.new`, 'a part');
    assert.ok(reopened().isLoaded);
    assert.equal(existsSync(`${target()}.new`), false);
  });

  it('is reported where the disk does not give it, and the index is loaded from the rows', async () => {
    opened();
    block();
    const index = reopened();
    const name = `the snapshot of the vector index ${place.log}`;
    assert.deepEqual(warnings, [`${name} cannot be read`, `${name} cannot be removed`]);
    while (!index.isLoaded) index.step(onSaved);
    const found = index.search({
      query: new Float32Array(place.dimension),
      hitCount: 5,
      hasMoreChanges: false,
    });
    assert.equal(found.hits.length, 5);
    await index.drop();
    assert.deepEqual(warnings.slice(2), [`${name} cannot be removed`]);
  });

  it('is replaced when rows are linked that wait in it', async () => {
    const index = opened();
    while (!index.isLoaded) index.step(onSaved);
    await index.close(onSaved);
    const waiting = () => restoreSnapshot(target(), shape)?.index.waitingCount ?? 0;
    assert.ok(waiting() > rows / 2, 'closed before many were linked');
    const later = reopened();
    await idle(later);
    await later.close(onSaved);
    assert.equal(waiting(), 0);
  });

  it('is removed with its index, and few graphs of dropped indexes wait for the garbage collector', async () => {
    const before = memoryOutside.waitingBytes;
    let mostBytes = 0;
    // Many, because the garbage collector of a busy machine is late by some.
    for (let number = 0; number < 800; number += 1) {
      const index = opened();
      index.step(onSaved);
      await index.drop();
      await nextTurn();
      mostBytes = Math.max(mostBytes, memoryOutside.waitingBytes - before);
    }
    assert.ok(mostBytes > 0);
    assert.ok(mostBytes < 20 * 2 ** 20, `${mostBytes} bytes of more than 38 million waited`);
    assert.equal(existsSync(target()), false);
  });
});
