// The measured indexes, with one interface: ours, and those of libraries.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bestToWalkOn, type GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { GraphIndex, type VectorFilter } from '../../src/data-service/engine/embedded/vectors/graph-index.js';
import { restoreSnapshot, saveSnapshot } from '../../src/data-service/engine/embedded/vectors/snapshot.js';
import { scorerOf } from '../../src/data-service/query/vector-search.js';
import type { VectorQuantization } from '../../src/foundation/config/engines/embedded.js';
import { type VectorData, vectorAt } from './vector-data.js';

/** An index over the rows of some data, by the cosine. */
export interface Contender {
  readonly name: string;
  /** The precision of the stored vectors. */
  readonly precision: 'float32' | 'less';
  /**
   * Adds all rows, labelled by their places. With a folder of indexes that were built before, it loads the index from
   * there, or saves it there. Gives whether it was built.
   */
  build(data: VectorData, cache?: string): Promise<boolean>;
  /** How broadly to search from now on. */
  setBreadth(breadth: number): void;
  /** The labels of the nearest rows to the query at a place. */
  search(place: number, limit: number): Iterable<number | bigint>;
}

/** The exact nearest rows of the first queries, by a library. */
export function exactNeighbours(
  data: VectorData,
  queries: number,
  limit: number,
): readonly ReadonlySet<number>[] {
  const { dimension } = data;
  const usearch = rivals().usearch;
  const wanted = data.queries.subarray(0, queries * dimension);
  const { keys } = usearch.exactSearch(data.rows, wanted, dimension, limit, usearch.MetricKind.Cos, 2);
  return Array.from(
    { length: queries },
    (_, query) => new Set(Array.from(keys.subarray(query * limit, (query + 1) * limit), Number)),
  );
}

/** Hits behind the wanted ones, as the engine asks for them. */
const spareHits = 4;

/** Our index, as the engine uses it: with codes alone its hits are ranked by the vectors of their rows. */
export class OurIndex implements Contender {
  readonly name: string;
  readonly precision = 'less';
  readonly shape: GraphShape;
  index: GraphIndex;
  readonly #data: VectorData;
  #breadth = 64;

  constructor(data: VectorData, quantization: VectorQuantization = 'int8') {
    const { dimension } = data;
    const walksOn = bestToWalkOn(dimension, quantization);
    this.name = quantization === 'int8' ? 'colonnade' : `colonnade ${quantization}`;
    this.shape = { dimension, metric: 'cosine', walksOn, maxRows: 2 ** 22 };
    this.index = new GraphIndex(this.shape);
    this.#data = data;
  }

  async build({ rows, rowCount, dimension }: VectorData, cache?: string): Promise<boolean> {
    const file = cache === undefined ? undefined : cacheFile(cache, this.name, rowCount, dimension);
    const cached = file === undefined ? undefined : restoreSnapshot(file, this.shape)?.index;
    if (cached !== undefined) {
      this.index = cached;
      return false;
    }
    for (let row = 0; row < rowCount; row += 1) this.index.put(row, vectorAt(rows, dimension, row));
    while (this.index.work(1024)) {}
    if (file !== undefined)
      await saveSnapshot(file, this.shape, this.index, () => ({ sequence: 0, version: 0 }));
    return true;
  }

  setBreadth(breadth: number): void {
    this.#breadth = breadth;
  }

  search(place: number, limit: number, filter?: VectorFilter): Iterable<number> {
    const { rows, queries, dimension } = this.#data;
    const query = vectorAt(queries, dimension, place);
    const wanted = { limit: limit + spareHits, breadth: this.#breadth };
    const hits = this.index.search(query, wanted, filter);
    if (this.shape.walksOn !== 'codesAlone') return hits.slice(0, limit).map(({ label }) => label);
    const score = scorerOf({ metric: 'cosine', query });
    const scored = hits.map(({ label }) => ({ label, score: score(vectorAt(rows, dimension, label)) }));
    scored.sort((left, right) => right.score - left.score);
    return scored.slice(0, limit).map(({ label }) => label);
  }
}

/** The libraries, with 16 links and a breadth of 128 for each new row. */
export function makeRivals(data: VectorData): readonly Contender[] {
  return [usearchOf(data, 'f32'), usearchOf(data, 'bf16'), usearchOf(data, 'i8'), hnswlibOf(data)];
}

/** The file of a built index: data of the same size are always the same. */
function cacheFile(cache: string, name: string, rowCount: number, dimension: number): string {
  return join(cache, `${name.replace(' ', '-')}-${rowCount}x${dimension}`);
}

const links = 16;
const buildBreadth = 128;

function usearchOf({ dimension, queries }: VectorData, quantization: string): Contender {
  const { usearch } = rivals();
  const make = (breadth: number) =>
    new usearch.Index({
      metric: usearch.MetricKind.Cos,
      connectivity: links,
      dimensions: dimension,
      quantization,
      expansion_add: buildBreadth,
      expansion_search: breadth,
    });
  const name = `usearch ${quantization}`;
  let file = join(mkdtempSync(join(tmpdir(), 'colonnade-bench-usearch-')), 'index');
  let index = make(64);
  return {
    name,
    precision: quantization === 'f32' ? 'float32' : 'less',
    build: ({ rows, rowCount }, cache) => {
      if (cache !== undefined) file = cacheFile(cache, name, rowCount, dimension);
      if (existsSync(file)) return Promise.resolve(false);
      index.add(
        BigUint64Array.from({ length: rowCount }, (_, row) => BigInt(row)),
        rows,
        1,
      );
      index.save(file);
      return Promise.resolve(true);
    },
    // Its breadth is fixed once it is made.
    setBreadth: (breadth) => {
      index = make(breadth);
      index.load(file);
    },
    search: (place, limit) => index.search(vectorAt(queries, dimension, place), limit, 1).keys,
  };
}

function hnswlibOf({ dimension, queries, queryCount }: VectorData): Contender {
  const { HierarchicalNSW } = rivals().hnswlib;
  const index = new HierarchicalNSW('ip', dimension);
  // It takes plain arrays only; those of the queries are made before the measurement.
  const plain = Array.from({ length: queryCount }, (_, place) => [...vectorAt(queries, dimension, place)]);
  return {
    name: 'hnswlib-node',
    precision: 'float32',
    build: ({ rows, rowCount }, cache) => {
      const file = cache === undefined ? undefined : cacheFile(cache, 'hnswlib-node', rowCount, dimension);
      if (file !== undefined && existsSync(file)) {
        index.readIndexSync(file);
        return Promise.resolve(false);
      }
      index.initIndex(rowCount, links, buildBreadth);
      for (let row = 0; row < rowCount; row += 1) index.addPoint([...vectorAt(rows, dimension, row)], row);
      if (file !== undefined) index.writeIndexSync(file);
      return Promise.resolve(true);
    },
    setBreadth: (breadth) => index.setEf(breadth),
    search: (place, limit) => index.searchKnn(plain[place] ?? [], limit).neighbors,
  };
}

/** The parts of the libraries that are used. The project does not depend on them, so their types are missing. */
interface Rivals {
  readonly usearch: {
    readonly MetricKind: { readonly Cos: string };
    readonly Index: new (options: object) => UsearchIndex;
    exactSearch(
      rows: Float32Array,
      queries: Float32Array,
      dimension: number,
      limit: number,
      metric: string,
      threads: number,
    ): { readonly keys: BigUint64Array };
  };
  readonly hnswlib: { readonly HierarchicalNSW: new (space: string, dimension: number) => HnswlibIndex };
}

interface UsearchIndex {
  add(keys: BigUint64Array, rows: Float32Array, threads: number): void;
  search(query: Float32Array, limit: number, threads: number): { readonly keys: BigUint64Array };
  save(path: string): void;
  load(path: string): void;
}

interface HnswlibIndex {
  initIndex(rows: number, links: number, breadth: number): void;
  addPoint(row: readonly number[], label: number): void;
  readIndexSync(path: string): void;
  writeIndexSync(path: string): void;
  setEf(breadth: number): void;
  searchKnn(query: readonly number[], limit: number): { readonly neighbors: readonly number[] };
}

let loaded: Rivals | undefined;

/** Loads the libraries; installs them first where they are missing. */
function rivals(): Rivals {
  if (loaded !== undefined) return loaded;
  const directory = fileURLToPath(new URL('../../../benchmarks/vectors', import.meta.url));
  if (!existsSync(join(directory, 'node_modules'))) {
    const run = spawnSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], {
      cwd: directory,
      stdio: 'inherit',
    });
    if (run.status !== 0) throw new Error('the libraries to compare with could not be installed');
  }
  const require = createRequire(join(directory, 'package.json'));
  loaded = { usearch: require('usearch'), hnswlib: require('hnswlib-node') };
  return loaded;
}
