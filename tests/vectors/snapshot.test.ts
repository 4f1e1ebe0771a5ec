// A snapshot that is written while rows are searched and changed has the index as it was at one moment.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import type { GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { restoreSnapshot, saveSnapshot } from '../../src/data-service/engine/embedded/vectors/snapshot.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { IndexUnderTest, shapeOf } from './index-under-test.js';
import { findBreaches, inspectGraph } from './inspect-graph.js';

const shape = shapeOf(64, 'euclidean', 'codes');

/** Counts the bytes that are written to files from now on. */
function countWritten(test: TestContext): { bytes: number } {
  const counted = { bytes: 0 };
  const write = fs.writeSync;
  test.mock.method(fs, 'writeSync', (...written: Parameters<typeof write>) => {
    const bytes = write(...written);
    counted.bytes += bytes;
    return bytes;
  });
  syncBuiltinESMExports();
  test.after(() => {
    test.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return counted;
}

describe('a snapshot of a vector index', () => {
  it('is written while searches are answered and rows change', async () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    const vectors = clusteredVectors(random, 14_000, 64);
    const queries = vectors.slice(0, 5);
    const source = new IndexUnderTest(shape);
    for (const [label, vector] of vectors.slice(0, 12_000).entries()) source.put(label, vector);
    source.settle();
    const path = join(makeTemporaryDirectory(), 'index.graph');
    let changes = 0;
    let rowsThen = new Map<number, Float32Array>();
    // The engine, too, calls this at the moment that the snapshot shows.
    const stateOf = () => {
      rowsThen = new Map(source.rows);
      return { sequence: changes, version: changes };
    };
    let isSaved = false;
    const saving = saveSnapshot(path, shape, source.index, stateOf).then((sequence) => {
      isSaved = true;
      return sequence;
    });
    /** How large the file was after each search. */
    const sizes = new Set<number>();
    while (!isSaved) {
      assert.ok(source.recall(queries, 10) >= 0.98, `seed ${seed}`);
      sizes.add(statSync(`${path}.new`, { throwIfNoEntry: false })?.size ?? 0);
      const label = random.below(13_000);
      if (random.chance(0.3)) source.remove(label);
      else source.put(label, random.pick(vectors));
      changes += 1;
      await nextTurn();
    }
    assert.ok(sizes.size > 3, `the file grew in ${sizes.size} steps between searches`);
    const restored = restoreSnapshot(path, shape);
    assert.equal(restored?.sequence, await saving);
    assert.ok(restored);
    const [segment] = restored.index.segments;
    assert.ok(segment);
    assert.deepEqual(findBreaches(inspectGraph(segment.memory, segment.recordsAt)), [], `seed ${seed}`);
    assert.equal(restored.index.rowCount, rowsThen.size);
    for (let label = 0; label < 13_000; label += 1) {
      assert.equal(segment.has(label), rowsThen.has(label), `seed ${seed}, label ${label}`);
    }
  });

  it('has each unchanged part written once, also when the table of labels grows meanwhile', async (test) => {
    const wide = shapeOf(512, 'euclidean', 'codes');
    const source = new IndexUnderTest(wide);
    const vectors = clusteredVectors(seededRandom(3), 8400, 512);
    for (const [label, vector] of vectors.slice(0, 8000).entries()) source.put(label, vector);
    const path = join(makeTemporaryDirectory(), 'index.graph');
    const written = countWritten(test);
    let version = 0;
    let writtenBefore = 0;
    const saving = saveSnapshot(path, wide, source.index, () => {
      writtenBefore = written.bytes;
      return { sequence: 1, version };
    });
    while (written.bytes < 10e6) await nextTurn();
    // More rows than the table has room for.
    for (const [at, vector] of vectors.slice(8000).entries()) source.put(8000 + at, vector);
    version += 1;
    await saving;
    assert.ok(writtenBefore > 20e6, `${writtenBefore} bytes in turns`);
    const inOneTurn = written.bytes - writtenBefore;
    assert.ok(inOneTurn > 100_000 && inOneTurn < writtenBefore / 2, `${inOneTurn} bytes in one turn`);
    const restored = restoreSnapshot(path, wide)?.index;
    assert.equal(restored?.rowCount, 8400);
    for (const label of [0, 4000, 7999, 8000, 8399]) {
      const query = vectors[label] ?? new Float32Array();
      assert.equal(restored?.search(query, { limit: 1, breadth: 64 })[0]?.label, label);
    }
  });

  it('leaves no incomplete file', async () => {
    const source = new IndexUnderTest(shape);
    source.put(1, new Float32Array(64));
    const path = join(makeTemporaryDirectory(), 'index.graph');
    mkdirSync(join(path, 'in-the-way'), { recursive: true });
    await assert.rejects(saveSnapshot(path, shape, source.index, () => ({ sequence: 7, version: 1 })));
    assert.equal(existsSync(`${path}.new`), false);
  });

  it('is not restored when it was cut off or has another shape', async () => {
    const source = new IndexUnderTest(shape);
    for (const [label, vector] of clusteredVectors(seededRandom(1), 100, 64).entries())
      source.put(label, vector);
    const path = join(makeTemporaryDirectory(), 'index.graph');
    assert.equal(await saveSnapshot(path, shape, source.index, () => ({ sequence: 7, version: 1 })), 7);
    assert.equal(restoreSnapshot(path, shape)?.index.rowCount, 100);
    assert.equal(restoreSnapshot(path, shapeOf(64, 'cosine')), undefined);
    appendFileSync(path, 'more');
    assert.equal(restoreSnapshot(path, shape)?.sequence, 7);
    truncateSync(path, 400_000);
    assert.equal(restoreSnapshot(path, shape), undefined);
    assert.equal(restoreSnapshot(`${path}.none`, shape), undefined);
  });

  it('is restored when its records have codes alone, and only for that shape', async () => {
    const coded = shapeOf(64, 'dot_product', 'codesAlone');
    const source = new IndexUnderTest(coded);
    const vectors = clusteredVectors(seededRandom(5), 3000, 64);
    for (const [label, vector] of vectors.entries()) {
      // Some are apart, and some are not linked yet.
      source.put(label, label % 100 === 0 ? vector.map((value) => value * 1e20) : vector);
      if (label === 2900) source.settle();
    }
    const path = join(makeTemporaryDirectory(), 'index.graph');
    await saveSnapshot(path, coded, source.index, () => ({ sequence: 7, version: 1 }));
    assert.equal(restoreSnapshot(path, shapeOf(64, 'dot_product', 'codes')), undefined);
    const restored = restoreSnapshot(path, coded)?.index;
    assert.ok(restored);
    for (const query of vectors.slice(0, 20)) {
      const wanted = { limit: 10, breadth: 64 };
      assert.deepEqual(restored.search(query, wanted), source.index.search(query, wanted));
    }
  });

  it('is restored when its rows have no codes yet, and then takes more rows', async () => {
    const coded = shapeOf(64, 'euclidean', 'codesAlone');
    const vectors = clusteredVectors(seededRandom(6), 600, 64).map((vector) => vector.with(0, 400));
    const source = new IndexUnderTest(coded);
    for (const [label, vector] of vectors.slice(0, 20).entries()) source.put(label, vector);
    const path = join(makeTemporaryDirectory(), 'index.graph');
    await saveSnapshot(path, coded, source.index, () => ({ sequence: 7, version: 1 }));
    const restored = restoreSnapshot(path, coded)?.index;
    assert.ok(restored);
    for (const [label, vector] of vectors.entries()) {
      if (label >= 20) restored.put(label, vector);
      assert.equal(restored.search(vector, { limit: 1, breadth: 64 })[0]?.label, label);
    }
  });

  it('is restored when it was written for a graph that several threads could search', () => {
    // 2,060 rows were put, 65 of them linked, one of these behind an equal one; then three were removed.
    const packed = new URL('../../../tests/vectors/earlier-snapshot.graph.br', import.meta.url);
    const path = join(makeTemporaryDirectory(), 'index.graph');
    writeFileSync(path, brotliDecompressSync(readFileSync(packed)));
    const earlier: GraphShape = { dimension: 4, metric: 'euclidean', walksOn: 'codes', maxRows: 4096 };
    const restored = restoreSnapshot(path, earlier);
    assert.equal(restored?.sequence, 7);
    const { index } = restored;
    const [segment] = index.segments;
    assert.ok(segment);
    const corner = (label: number) => Float32Array.of(label % 4, (label >> 2) % 4, (label >> 4) % 4, 1);
    const checkSearches = (count: number, missing: number) => {
      assert.deepEqual(findBreaches(inspectGraph(segment.memory, segment.recordsAt)), []);
      assert.equal(index.rowCount, count);
      for (let label = 0; label < 64; label += 1) {
        const hits = index.search(corner(label), { limit: 2, breadth: 64 });
        const same = hits.filter(({ key }) => key === 0).map((hit) => hit.label);
        const expected = label === 3 ? [3, 64] : [label];
        assert.deepEqual(same.sort(), label === missing ? [] : expected, `the row ${label}`);
      }
    };
    checkSearches(2057, 5);
    index.put(5, corner(5));
    while (index.work(256)) {}
    checkSearches(2058, -1);
  });

  it('is not restored when an earlier release wrote it', async () => {
    for (const [written, format] of [
      [shape, 3],
      [shapeOf(64, 'euclidean', 'codesAlone'), 5],
    ] as const) {
      const source = new IndexUnderTest(written);
      source.put(1, new Float32Array(64));
      const path = join(makeTemporaryDirectory(), 'index.graph');
      await saveSnapshot(path, written, source.index, () => ({ sequence: 7, version: 1 }));
      assert.equal(restoreSnapshot(path, written)?.sequence, 7);
      const saved = readFileSync(path, 'latin1');
      const [checksum, head = ''] = /^([0-9a-f]{64})({.*}) */.exec(saved)?.slice(1) ?? [];
      const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');
      assert.equal(checksum, sumOf(head));
      const earlier = head.replace(/"format":\d/, `"format":${format}`);
      writeFileSync(path, saved.replace(`${checksum}${head}`, `${sumOf(earlier)}${earlier}`), 'latin1');
      assert.equal(restoreSnapshot(path, written), undefined);
    }
  });

  it('is not restored when its head was changed', async () => {
    const source = new IndexUnderTest(shape);
    source.put(1, new Float32Array(64));
    const path = join(makeTemporaryDirectory(), 'index.graph');
    await saveSnapshot(path, shape, source.index, () => ({ sequence: 7, version: 1 }));
    writeFileSync(path, readFileSync(path, 'latin1').replace('"sequence":7', '"sequence":8'), 'latin1');
    assert.equal(restoreSnapshot(path, shape), undefined);
  });
});
