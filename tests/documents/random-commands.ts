// Random commands on one collection, from a seed.
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { embeddedDimension, RandomClauses, type RandomSettings } from './random-documents.js';

/** A collection and the commands that are sent to it, one after another. */
export interface Scenario {
  readonly seed: number;
  readonly indexing: RandomSettings['indexing'];
  readonly defaultId: string | undefined;
  readonly hasVector: boolean;
  /** Whether the collection embeds texts; then it has vectors. */
  readonly hasService: boolean;
  readonly commands: readonly JsonText[];
}

const indexings: readonly RandomSettings['indexing'][] = [
  undefined,
  undefined,
  undefined,
  undefined,
  { kind: 'deny', paths: ['o.p', 'tags'] },
  { kind: 'deny', paths: ['d&.e', 'items'] },
  { kind: 'deny', paths: ['*'] },
  { kind: 'allow', paths: ['a', 'n', 'tags', 'o.p', '_id'] },
  { kind: 'allow', paths: ['a', 'items', 'd&.e'] },
  { kind: 'allow', paths: ['*'] },
];

/** The scenario of a seed, with so many commands. */
export function scenarioOf(seed: number, count: number): Scenario {
  const random = seededRandom(seed);
  const indexing = random.pick(indexings);
  const hasVector = random.oneIn(2);
  const hasService = hasVector && random.oneIn(2);
  const defaultId = random.pick([undefined, undefined, 'uuid', 'uuidv6', 'uuidv7', 'objectId']);
  const clauses = new RandomClauses(random, {
    hasVector,
    texts: hasService ? 'embedded' : 'refused',
    indexing,
  });
  const isLarge = random.oneIn(5);
  const first = isLarge ? Array.from({ length: 3 }, () => manyDocuments(random, clauses, 50, false)) : [];
  const commands = [
    ...first,
    ...Array.from({ length: count - first.length }, () => randomCommand(random, clauses)),
  ];
  return { seed, indexing, defaultId, hasVector, hasService, commands };
}

const embedded = {
  dimension: embeddedDimension,
  service: { provider: 'colonnade', modelName: 'hashed-ngrams' },
};

/** The command that creates the collection. */
export function createCommand(
  { indexing, defaultId, hasVector, hasService }: Scenario,
  name: string,
): JsonText {
  const options = {
    ...(indexing === undefined ? {} : { indexing: { [indexing.kind]: indexing.paths } }),
    ...(defaultId === undefined ? {} : { defaultId: { type: defaultId } }),
    ...(hasVector ? { vector: { ...(hasService ? embedded : { dimension: 2 }), metric: 'euclidean' } } : {}),
  };
  return JSON.stringify({ createCollection: { name, options } });
}

function manyDocuments(
  random: SeededRandom,
  clauses: RandomClauses,
  most: number,
  hasOptions: boolean,
): JsonText {
  const documents = Array.from({ length: 1 + random.below(most) }, () => clauses.document());
  const options = { ordered: random.oneIn(3), returnDocumentResponses: random.oneIn(2) };
  const members = hasOptions ? `,"options":${JSON.stringify(options)}` : '';
  return `{"insertMany":{"documents":[${documents.join(',')}]${members}}}`;
}

function randomCommand(random: SeededRandom, clauses: RandomClauses): JsonText {
  const filter = random.oneIn(4) ? `{"_id":${clauses.id()}}` : clauses.filter();
  if (clauses.isSearchable && random.oneIn(12)) return searchCommand(random, clauses, filter);
  const draw = random.below(17);
  if (draw < 2) return `{"insertOne":{"document":${clauses.document()}}}`;
  if (draw === 2) return manyDocuments(random, clauses, random.oneIn(6) ? 20 : 5, true);
  if (draw < 6) return findCommand(random, clauses, filter);
  if (draw < 15) return oneCommand(random, clauses, `"filter":${filter}`);
  if (draw === 15 && random.oneIn(6)) return `{"deleteMany":{"filter":${random.oneIn(8) ? '{}' : filter}}}`;
  if (draw === 15) return findCommand(random, clauses, filter);
  return random.oneIn(8) ? '{"estimatedDocumentCount":{}}' : `{"countDocuments":{"filter":${filter}}}`;
}

/** Commands on one document, and updateMany, which has the same clauses. */
function oneCommand(random: SeededRandom, clauses: RandomClauses, filter: JsonText): JsonText {
  const name = random.pick([
    'findOne',
    ...['updateOne', 'updateOne', 'updateMany', 'updateMany'],
    ...['findOneAndUpdate', 'findOneAndUpdate', 'findOneAndReplace'],
    random.pick(['findOneAndDelete', 'deleteOne']),
  ]);
  const hasImage = name.startsWith('findOneAnd');
  const members = [filter];
  if (name !== 'updateMany' && random.chance(0.6)) members.push(`"sort":${clauses.sort()}`);
  if (name.startsWith('find') && random.chance(0.4)) members.push(`"projection":${clauses.projection()}`);
  if (name.includes('pdate')) members.push(`"update":${clauses.update()}`);
  if (name === 'findOneAndReplace') members.push(`"replacement":${replacementOf(random, clauses)}`);
  if (/pdate|Replace/.test(name)) members.push(...upsert(random, hasImage));
  return `{"${name}":{${members.join(',')}}}`;
}

function findCommand(random: SeededRandom, clauses: RandomClauses, filter: JsonText): JsonText {
  const isSorted = random.oneIn(2);
  const options = [
    ...(random.oneIn(3) ? [`"limit":${1 + random.below(60)}`] : []),
    ...(isSorted && random.oneIn(3) ? [`"skip":${random.below(8)}`] : []),
  ];
  const members = [
    `"filter":${filter}`,
    ...(isSorted ? [`"sort":${clauses.sort()}`] : []),
    ...(random.oneIn(2) ? [`"projection":${clauses.projection()}`] : []),
    ...(options.length > 0 ? [`"options":{${options.join(',')}}`] : []),
  ];
  return `{"find":{${members.join(',')}}}`;
}

/** By vector, by words, or by both. */
function searchCommand(random: SeededRandom, clauses: RandomClauses, filter: JsonText): JsonText {
  // A filter with words beside a sort by words is refused.
  const first = `"filter":${filter.includes('"$lexical"') ? '{}' : filter},"projection":{"*":1}`;
  const words = clauses.words(random.pick([1, 1, 2]));
  const vector = clauses.vector();
  const limit = `"limit":${1 + random.below(60)}`;
  if (vector === undefined || random.oneIn(3))
    return `{"find":{${first},"sort":{"$lexical":${words}},"options":{${limit}}}}`;
  const nearest = clauses.hasService && random.chance(0.7) ? `"$vectorize":${words}` : `"$vector":${vector}`;
  if (random.oneIn(2))
    return `{"find":{${first},"sort":{${nearest}},"options":{${limit},"includeSimilarity":true}}}`;
  const limits = `{"$vector":${1 + random.below(100)},"$lexical":${1 + random.below(100)}}`;
  // A text to embed is also what documents are ranked by, unless the command says otherwise.
  const isPlain = nearest.startsWith('"$vectorize"') && random.oneIn(2);
  const passage = isPlain ? '' : '"rerankQuery":"x","rerankOn":"$lexical",';
  const options = `${passage}"includeScores":true,"hybridLimits":${limits},${limit}`;
  const sort =
    isPlain && random.oneIn(2) ? `{"$hybrid":${words}}` : `{"$hybrid":{${nearest},"$lexical":${words}}}`;
  return `{"findAndRerank":{${first},"sort":${sort},"options":{${options}}}}`;
}

function replacementOf(random: SeededRandom, clauses: RandomClauses): JsonText {
  const document = clauses.document();
  if (!document.startsWith('{')) return '{"a":1}';
  // Mostly without an id, which must be that of the document.
  return random.oneIn(3)
    ? document
    : document.replace(/"_id":(?:"[^"]*"|\{[^}]*\}|\[1\]|[^,}]*)(,?)/, '').replace(',}', '}');
}

function upsert(random: SeededRandom, hasImage: boolean): readonly JsonText[] {
  const options = [
    ...(random.oneIn(3) ? ['"upsert":true'] : []),
    ...(hasImage && random.oneIn(2) ? [`"returnDocument":"${random.pick(['after', 'before'])}"`] : []),
  ];
  return options.length > 0 ? [`"options":{${options.join(',')}}`] : [];
}
