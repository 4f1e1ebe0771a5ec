// The requests of vector searches over HTTP, and the table they are about.
import {
  fillSource,
  nextNumber,
  type RequestSettings,
  type RequestSource,
  rowsPerInsertMany,
} from './request-source.js';
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

/** The collection with these rows as documents. */
export const vectorCollection = {
  name: 'bench_vector_documents',
  options: { vector: { dimension, metric: 'cosine' }, lexical: { enabled: false } },
} as const;

const documentsPath = `/v1/${vectorTable.keyspace}/${vectorCollection.name}`;

/** The kinds of requests by name. */
export const vectorRequestKinds = {
  fillVectors: (settings: RequestSettings) => {
    const { rows } = vectorsOf(settings.rowCount);
    return fillSource(path, (number) => rowText(number, vectorAt(rows, dimension, number)));
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
  fillVectorDocuments: (settings: RequestSettings) => {
    const { rows } = vectorsOf(settings.rowCount);
    return fillSource(documentsPath, (number) => documentOf(number, vectorAt(rows, dimension, number)));
  },
  searchVectorDocuments: (): RequestSource => {
    const texts = queryVectors().map(vectorText);
    return {
      path: documentsPath,
      next: () =>
        `{"find":{"sort":{"$vector":${texts[Math.floor(Math.random() * texts.length)]}},` +
        `"projection":{"_id":true,"title":true},"options":{"limit":${vectorTable.limit}}}}`,
    };
  },
  fillChroma: (settings: RequestSettings) => chromaFill(settings),
  searchChroma: ({ place }: RequestSettings): RequestSource => {
    const bodies = queryVectors().map((query) =>
      JSON.stringify({
        query_embeddings: [[...query]],
        n_results: vectorTable.limit,
        include: ['metadatas'],
      }),
    );
    return {
      path: `${place}/query`,
      next: () => bodies[Math.floor(Math.random() * bodies.length)] ?? '',
    };
  },
} satisfies Readonly<Record<string, (settings: RequestSettings) => RequestSource>>;

/** A hundred rows a request, as `fillSource` sends them. */
function chromaFill({ rowCount, place }: RequestSettings): RequestSource {
  const { rows } = vectorsOf(rowCount);
  return {
    path: `${place}/add`,
    next() {
      const first = nextNumber() * rowsPerInsertMany;
      const numbers = Array.from({ length: rowsPerInsertMany }, (_, at) => first + at);
      return JSON.stringify({
        ids: numbers.map((number) => `row-${number}`),
        embeddings: numbers.map((number) => [...vectorAt(rows, dimension, number)]),
        metadatas: numbers.map((number) => ({ title: `Title of row ${number}` })),
      });
    },
  };
}

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

/** The vector in the form that the official clients send. */
function vectorText(vector: Float32Array): string {
  return `{"$binary":"${vectorBytes(vector).toString('base64')}"}`;
}

function rowText(number: number, vector: Float32Array): string {
  return `{"id":"row-${number}","title":"Title of row ${number}","v":${vectorText(vector)}}`;
}

function documentOf(number: number, vector: Float32Array): string {
  return `{"_id":"row-${number}","title":"Title of row ${number}","$vector":${vectorText(vector)}}`;
}

let made: VectorData | undefined;

/** Made once for all connections. */
function vectorsOf(rowCount: number): VectorData {
  if (made?.rowCount !== rowCount) made = makeVectors(rowCount, dimension, queryCount);
  return made;
}
