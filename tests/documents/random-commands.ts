// Random commands on one collection, from a seed.
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import type { ModelIndexing } from './model-filter.js';
import { RandomClauses } from './random-documents.js';

/** A collection and the commands that are sent to it, one after another. */
export interface Scenario {
  readonly seed: number;
  readonly indexing: ModelIndexing | undefined;
  readonly defaultId: string | undefined;
  readonly hasVector: boolean;
  readonly commands: readonly JsonText[];
}

const indexings: readonly (ModelIndexing | undefined)[] = [
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

export function scenarioOf(seed: number, count: number): Scenario {
  const random = seededRandom(seed);
  const indexing = random.pick(indexings);
  const hasVector = random.oneIn(2);
  const defaultId = random.pick([undefined, undefined, 'uuid', 'uuidv6', 'uuidv7', 'objectId']);
  const clauses = new RandomClauses(random, { hasVector, indexing });
  const isLarge = random.oneIn(5);
  const first = isLarge ? Array.from({ length: 3 }, () => manyDocuments(random, clauses, 50, false)) : [];
  const commands = [
    ...first,
    ...Array.from({ length: count - first.length }, () => randomCommand(random, clauses)),
  ];
  return { seed, indexing, defaultId, hasVector, commands };
}

/** The command that creates the collection. */
export function createCommand({ indexing, defaultId, hasVector }: Scenario, name: string): JsonText {
  const options = {
    ...(indexing === undefined ? {} : { indexing: { [indexing.kind]: indexing.paths } }),
    ...(defaultId === undefined ? {} : { defaultId: { type: defaultId } }),
    ...(hasVector ? { vector: { dimension: 2, metric: 'euclidean' } } : {}),
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
  const maybe = (name: string, value: () => JsonText, share: number) =>
    random.chance(share) ? [`"${name}":${value()}`] : [];
  const sort = () => maybe('sort', () => clauses.sort(), 0.6);
  const projection = () => maybe('projection', () => clauses.projection(), 0.4);
  const command = (name: string, members: readonly JsonText[]) => `{"${name}":{${members.join(',')}}}`;
  switch (random.below(17)) {
    case 0:
    case 1:
      return `{"insertOne":{"document":${clauses.document()}}}`;
    case 2:
      return manyDocuments(random, clauses, random.oneIn(6) ? 20 : 5, true);
    case 3:
    case 4:
    case 5:
      return findCommand(random, clauses, filter);
    case 6:
      return command('findOne', [`"filter":${filter}`, ...sort(), ...projection()]);
    case 7:
    case 8:
      return command('updateOne', [
        `"filter":${filter}`,
        ...sort(),
        `"update":${clauses.update()}`,
        ...upsert(random, false),
      ]);
    case 9:
    case 10:
      return command('updateMany', [
        `"filter":${filter}`,
        `"update":${clauses.update()}`,
        ...upsert(random, false),
      ]);
    case 11:
    case 12: {
      const update = `"update":${clauses.update()}`;
      return command('findOneAndUpdate', [
        `"filter":${filter}`,
        ...sort(),
        ...projection(),
        update,
        ...upsert(random, true),
      ]);
    }
    case 13: {
      const replacement = `"replacement":${replacementOf(random, clauses)}`;
      return command('findOneAndReplace', [
        `"filter":${filter}`,
        ...sort(),
        ...projection(),
        replacement,
        ...upsert(random, true),
      ]);
    }
    case 14:
      return random.oneIn(2)
        ? command('findOneAndDelete', [`"filter":${filter}`, ...sort(), ...projection()])
        : command('deleteOne', [`"filter":${filter}`, ...sort()]);
    case 15:
      return random.oneIn(6)
        ? command('deleteMany', [`"filter":${random.oneIn(8) ? '{}' : filter}`])
        : findCommand(random, clauses, filter);
    default:
      return random.oneIn(8)
        ? '{"estimatedDocumentCount":{}}'
        : command('countDocuments', [`"filter":${filter}`]);
  }
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
