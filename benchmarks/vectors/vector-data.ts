// The vectors of the benchmarks: overlapping clusters on a manifold of few dimensions, some larger than others,
// as embeddings of texts are. The same seed always gives the same vectors.

/** Rows and queries of one kind, one after another. */
export interface VectorData {
  readonly dimension: number;
  readonly rowCount: number;
  readonly rows: Float32Array;
  readonly queryCount: number;
  readonly queries: Float32Array;
}

const clusterRank = 32;
const noiseRank = 24;
const noiseBases = 16;
/** The share of noise that is the same in all directions. */
const isotropic = 0.02;

/** Makes vectors of length 1. */
export function makeVectors(rowCount: number, dimension: number, queryCount: number, seed = 1): VectorData {
  const source = new VectorSource(Math.max(200, Math.round(rowCount / 250)), dimension, seed);
  const fill = (count: number) => {
    const vectors = new Float32Array(count * dimension);
    for (let at = 0; at < vectors.length; at += dimension) source.fill(vectors.subarray(at, at + dimension));
    return vectors;
  };
  return { dimension, rowCount, rows: fill(rowCount), queryCount, queries: fill(queryCount) };
}

/** The vector at a place. */
export function vectorAt(vectors: Float32Array, dimension: number, place: number): Float32Array {
  return vectors.subarray(place * dimension, (place + 1) * dimension);
}

class VectorSource {
  readonly #dimension: number;
  readonly #random: () => number;
  readonly #noise: readonly Float32Array[];
  readonly #centres: readonly Float32Array[];
  readonly #spreads: Float64Array;
  readonly #noiseOf: Uint8Array;
  /** Up to each cluster, the sum of the weights so far. */
  readonly #weights: Float64Array;
  #spare: number | undefined;

  constructor(clusters: number, dimension: number, seed: number) {
    this.#dimension = dimension;
    this.#random = mulberry32(seed);
    const directions = this.#basis(clusterRank);
    this.#noise = Array.from({ length: noiseBases }, () => this.#basis(noiseRank));
    this.#spreads = new Float64Array(clusters);
    this.#noiseOf = new Uint8Array(clusters);
    this.#weights = new Float64Array(clusters);
    let sum = 0;
    this.#centres = Array.from({ length: clusters }, (_, cluster) => {
      const centre = new Float32Array(dimension);
      for (let rank = 0; rank < clusterRank; rank += 1) {
        addTimes(centre, directions, rank, this.#normal() * (rank + 1) ** -0.25);
      }
      this.#spreads[cluster] = 0.55 + 0.5 * this.#random();
      this.#noiseOf[cluster] = Math.floor(this.#random() * noiseBases);
      sum += 1 / (cluster + 1) ** 0.7;
      this.#weights[cluster] = sum;
      return centre;
    });
  }

  /** The next vector. */
  fill(vector: Float32Array): void {
    const cluster = this.#pickCluster();
    const centre = this.#centres[cluster] ?? vector;
    for (let i = 0; i < this.#dimension; i += 1) vector[i] = (centre[i] ?? 0) + isotropic * this.#normal();
    const noise = this.#noise[this.#noiseOf[cluster] ?? 0] ?? vector;
    for (let rank = 0; rank < noiseRank; rank += 1) {
      addTimes(vector, noise, rank, this.#normal() * (this.#spreads[cluster] ?? 1) * (rank + 1) ** -0.35);
    }
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
  }

  #basis(rank: number): Float32Array {
    return Float32Array.from(
      { length: rank * this.#dimension },
      () => this.#normal() / Math.sqrt(this.#dimension),
    );
  }

  #pickCluster(): number {
    const wanted = this.#random() * (this.#weights.at(-1) ?? 0);
    let low = 0;
    let high = this.#weights.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#weights[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A number of the normal distribution, by the polar method, which gives two at a time. */
  #normal(): number {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) return spare;
    for (;;) {
      const u = 2 * this.#random() - 1;
      const v = 2 * this.#random() - 1;
      const square = u * u + v * v;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = v * factor;
      return u * factor;
    }
  }
}

function addTimes(vector: Float32Array, basis: Float32Array, rank: number, factor: number): void {
  const from = rank * vector.length;
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) + factor * (basis[from + i] ?? 0);
}

function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
