// The requests of vector searches over HTTP, and the table they are about.
import { fillSource, type RequestSettings, type RequestSource } from './request-source.js';
import { makeVectors, type VectorData, vectorAt } from './vectors/vector-data.js';

/** Rows with a vector of clusters, and an index of it. */
export const vectorTable = {
  keyspace: 'default_keyspace',
  name: 'bench_vectors',
  definition: {
    columns: { id: 'text', title: 'text', v: { type: 'vector', dimension: 384 } },
    primaryKey: 'id',
  },
  index: { name: 'bench_vectors_v', definition: { column: 'v', options: { metric: 'cosine' } } },
  limit: 10,
} as const;

const { dimension } = vectorTable.definition.columns.v;
const path = `/v1/${vectorTable.keyspace}/${vectorTable.name}`;
const queryCount = 500;

/** The kinds of requests by name. */
export const vectorRequestKinds = {
  fillVectors: (settings: RequestSettings) => {
    const { rows } = vectorsOf(settings.rowCount);
    return fillSource(path, (number) => rowText(number, vectorAt(rows, dimension, number)), settings);
  },
  searchVectors: (): RequestSource => {
    const texts = queryVectors().map(vectorText);
    return {
      path,
      next: () =>
        `{"find":{"sort":{"v":${texts[Math.floor(Math.random() * texts.length)]}},` +
        `"projection":{"id":true,"title":true},"options":{"limit":${vectorTable.limit}}}}`,
    };
  },
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

/** Queries of the clusters that the rows are from. */
export function queryVectors(): readonly Float32Array[] {
  const { queries } = vectorsOf(1);
  return Array.from({ length: queryCount }, (_, at) => vectorAt(queries, dimension, at));
}

/** The bytes of a vector in CQL. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [at, element] of vector.entries()) bytes.writeFloatBE(element, at * 4);
  return bytes;
}

/** As the official clients send it. */
function vectorText(vector: Float32Array): string {
  return `{"$binary":"${vectorBytes(vector).toString('base64')}"}`;
}

function rowText(number: number, vector: Float32Array): string {
  return `{"id":"row-${number}","title":"Title of row ${number}","v":${vectorText(vector)}}`;
}

let made: VectorData | undefined;

/** Made once for all connections. */
function vectorsOf(rowCount: number): VectorData {
  if (made?.rowCount !== rowCount) made = makeVectors(rowCount, dimension, queryCount);
  return made;
}
