// Random documents, filters and updates out of few names and values, so that they often meet.
import type { JsonText } from '../../src/foundation/json/json-value.js';
import type { SeededRandom } from '../seeded-random.js';

/** The dimension of collections that embed texts. */
export const embeddedDimension = 64;

/** Texts of JSON values. */
const numbers = [
  '0',
  '1',
  '1.0',
  '1e0',
  '-3',
  '2.5',
  '2.50',
  '100',
  '1e2',
  '0.1',
  '12345678901234567890',
  '12345678901234567891',
  '-1e-7',
  '1e30',
  '7',
  '8',
  '9',
];
const uuid = '0a1b2c3d-4e5f-4a7b-8c9d-0e1f2a3b4c5d';
const longText = 'x'.repeat(50);
const texts = [
  '""',
  '"a"',
  '"B"',
  '"b c"',
  '"é"',
  '"\\uffff"',
  '"😀"',
  '"5"',
  `"${uuid}"`,
  `"${longText}1"`,
  `"${longText}2${longText}"`,
  `"${longText}3${longText}"`,
  '"a\\u0000b"',
  '"true"',
];
const wrapped = [
  `{"$uuid":"${uuid}"}`,
  `{"$uuid":"${uuid.toUpperCase()}"}`,
  '{"$objectId":"65f0c0ffee00112233445566"}',
  '{"$objectId":"65F0C0FFEE00112233445566"}',
  '{"$date":0}',
  '{"$date":-5}',
  '{"$date":86400000}',
  '{"$date":1000}',
];
const constants = ['true', 'false', 'null'];
const badValues = [
  '{"$uuid":"x"}',
  '{"$date":"x"}',
  '{"$foo":1}',
  '{"":1}',
  '{"$date":1.5}',
  '{"$objectId":"12"}',
];

const ids = [
  '"a"',
  '"b"',
  '"5"',
  '5',
  '5.0',
  '1',
  '100',
  '1e2',
  '-2.5',
  'true',
  'false',
  'null',
  `{"$uuid":"${uuid}"}`,
  `"${uuid}"`,
  '{"$objectId":"65f0c0ffee00112233445566"}',
  '{"$date":1000}',
  '{"$date":-1}',
  '"é"',
  '"c"',
  '"d"',
  '"e"',
  '"f"',
  '7',
  '8',
  '9',
  '12345678901234567890',
  '12345678901234567891',
];
const badIds = ['""', '[1]', '{"a":1}', '{"$uuid":"x"}'];

/** Members of documents, and the paths of filters, as they are escaped in them. */
const names = ['a', 'b', 'n', 'o', 'tags', 'items', 'd.e', 'x&y', '0'];
const paths = [
  'a',
  'b',
  'n',
  'o',
  'tags',
  'items',
  'd&.e',
  'x&&y',
  '0',
  'o.p',
  'o.q',
  'o.p.r',
  'o.0',
  'tags.0',
  'tags.1',
  'items.0',
  'items.0.p',
  'items.1.q',
  'd.e',
  'o.d&.e',
  'stamp',
  'missing',
  'items.p',
  'n.p',
];

const words = ['red', 'blue', 'green', 'house', 'tree', 'river'];

/** Paths and operators of updates; those that are repeated are frequent. */
const updatedPaths =
  'a b n n o o.p o.q.r o.0 tags tags tags.0 tags.3 items items.0.p items.2.q d&.e x&&y new new.sub 0'.split(
    ' ',
  );
const updateOperators =
  '$set $set $set $unset $inc $inc $mul $min $max $push $push $addToSet $addToSet $pop $rename $currentDate'
    .split(' ')
    .concat('$setOnInsert');

/** What a collection of a scenario has. */
export interface RandomSettings {
  readonly hasVector: boolean;
  /** What it does with texts to embed. Absent: there are none. */
  readonly texts?: 'embedded' | 'refused';
  /** The option `indexing`. */
  readonly indexing: { readonly kind: 'allow' | 'deny'; readonly paths: readonly string[] } | undefined;
}

/** Makes random clauses. */
export class RandomClauses {
  readonly #random: SeededRandom;
  readonly #settings: RandomSettings;

  constructor(random: SeededRandom, settings: RandomSettings) {
    this.#random = random;
    this.#settings = settings;
  }

  id(): JsonText {
    return this.#random.pick(ids);
  }

  scalar(): JsonText {
    const random = this.#random;
    // Some values are frequent, so that filters find them.
    if (random.oneIn(2)) return random.pick(['1', '7', '"a"', '"b c"', 'true', 'null', '{"$date":1000}']);
    return random.pick(random.pick([numbers, numbers, texts, texts, wrapped, constants]));
  }

  value(depth = 0): JsonText {
    const random = this.#random;
    const kind = random.below(depth > 2 ? 6 : 10);
    if (kind < 6) return this.scalar();
    if (kind < 8) return this.list(depth);
    return this.object(depth);
  }

  list(depth = 0): JsonText {
    const random = this.#random;
    return `[${Array.from({ length: random.below(4) }, () => this.value(depth + 1)).join(',')}]`;
  }

  object(depth = 0): JsonText {
    const random = this.#random;
    const members = random.some(['p', 'q', 'r', '0', 'd.e', 'n'], random.below(4));
    return `{${members.map((name) => `${JSON.stringify(name)}:${this.value(depth + 1)}`).join(',')}}`;
  }

  #valueOf(name: string): JsonText {
    const random = this.#random;
    if (random.oneIn(4)) return this.value();
    switch (name) {
      case 'n':
        return random.pick(numbers);
      case 'o':
        return this.object();
      case 'tags':
        return `[${Array.from({ length: random.below(4) }, () => this.scalar()).join(',')}]`;
      case 'items':
        return `[${Array.from({ length: random.below(3) }, () => this.object(1)).join(',')}]`;
      default:
        return this.scalar();
    }
  }

  document(): JsonText {
    const random = this.#random;
    if (random.oneIn(60)) return random.pick(['null', '[1]', '5', '"x"']);
    const members = random.some(names, random.below(7)).map((name) => [name, this.#valueOf(name)] as const);
    const listed = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    if (random.oneIn(50)) listed.push(`"bad":${random.pick(badValues)}`);
    if (random.oneIn(80)) listed.push('"$bad":1');
    if (random.chance(0.85)) listed.push(`"_id":${random.oneIn(40) ? random.pick(badIds) : this.id()}`);
    return `{${[...random.some(listed, listed.length), ...this.#reserved()].join(',')}}`;
  }

  #reserved(): readonly JsonText[] {
    const random = this.#random;
    if (this.#hasText(2, 60)) return this.#texts();
    const vector = `"$vector":${this.#vector()}`;
    return [
      ...(this.#settings.hasVector && random.oneIn(2) ? [vector] : []),
      ...(random.oneIn(2) ? [`"$lexical":${random.oneIn(8) ? 'null' : this.#words()}`] : []),
    ];
  }

  /** Members of texts to embed, some of which are refused. */
  #texts(): readonly JsonText[] {
    const random = this.#random;
    if (random.oneIn(2)) {
      const both = this.#settings.hasVector && random.oneIn(30) ? [`"$vector":${this.#vector()}`] : [];
      return [`"$vectorize":${random.oneIn(40) ? '5' : this.#textToEmbed()}`, ...both];
    }
    const hybrid = random.pick([
      ...[this.#words(), this.#words(), this.#words(), 'null', '{}'],
      `{"$lexical":${this.#words()}}`,
      `{"$vectorize":${this.#textToEmbed()}}`,
      `{"$lexical":${this.#words()},"$vectorize":${this.#words()}}`,
      random.oneIn(4) ? random.pick(['5', '[1]', '{"x":1}', '{"$lexical":5}', '{"$vectorize":[]}']) : '{}',
    ]);
    return [`"$hybrid":${hybrid}`, ...(random.oneIn(40) ? [`"$lexical":${this.#words()}`] : [])];
  }

  #textToEmbed(): JsonText {
    return this.#random.oneIn(8) ? this.#random.pick(['null', '""', '" "']) : this.#words();
  }

  #vector(): JsonText {
    return this.#random.oneIn(6) ? 'null' : this.#numbers();
  }

  #numbers(): JsonText {
    const random = this.#random;
    const rest = this.hasService ? ',0'.repeat(embeddedDimension - 2) : '';
    return `[${random.below(5)},${random.below(5) - 2}${rest}]`;
  }

  /** Whether the collection embeds texts. */
  get hasService(): boolean {
    return this.#settings.texts === 'embedded';
  }

  /** With these chances where texts are embedded, and where they are refused. */
  #hasText(embedded: number, refused: number): boolean {
    if (this.#settings.texts === undefined) return false;
    return this.#random.oneIn(this.hasService ? embedded : refused);
  }

  #words(): JsonText {
    return this.words(1 + this.#random.below(4));
  }

  /** A text of some words. */
  words(count: number): JsonText {
    return JSON.stringify(this.#random.some(words, count).join(' '));
  }

  /** A vector to search for; undefined for a collection without vectors. */
  vector(): JsonText | undefined {
    return this.#settings.hasVector ? this.#numbers() : undefined;
  }

  /** Whether the collection indexes what searches need. */
  get isSearchable(): boolean {
    const { indexing } = this.#settings;
    return !(indexing?.kind === 'deny' && indexing.paths[0] === '*');
  }

  /** A path, often one that filters may use. */
  path(): string {
    const { indexing } = this.#settings;
    const random = this.#random;
    const listed =
      indexing?.kind === 'allow' ? indexing.paths.filter((path) => path !== '*' && path !== '_id') : [];
    return listed.length > 0 && random.chance(0.7) ? random.pick(listed) : random.pick(paths);
  }

  filter(depth = 0): JsonText {
    const random = this.#random;
    if (depth === 0 && random.oneIn(30)) return this.#filterAtLimits();
    const count = random.pick([0, 1, 1, 1, 1, 1, 1, 2, 3]);
    const chosen = new Map<string, JsonText>();
    for (let at = 0; at < Math.max(count, depth > 0 ? 1 : 0); at += 1) {
      const [name, value] = this.#filterMember(depth);
      chosen.set(name, value);
    }
    return `{${[...chosen].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  /** A filter with the most comparisons, and the longest lists, that it may have. */
  #filterAtLimits(): JsonText {
    const random = this.#random;
    const comparisons = Array.from({ length: random.pick([10, 63, 64]) }, () => {
      const operator = random.pick(['$in', '$in', '$in', '$nin', '$all', '$gt']);
      const operand = operator === '$gt' ? this.#operand(operator) : this.#longList();
      return `{${JSON.stringify(this.path())}:{"${operator}":${operand}}}`;
    });
    const half = comparisons.splice(0, comparisons.length / 2);
    const [outer, inner] = random.pick([
      ['$and', '$and'],
      ['$and', '$or'],
      ['$or', '$and'],
      ['$or', '$or'],
    ]);
    const filter = `{"${outer}":[{"${inner}":[${half.join(',')}]},${comparisons.join(',')}]}`;
    return random.oneIn(4) ? `{"$not":${filter}}` : filter;
  }

  /** A list of values that are frequent, and of many that are not. */
  #longList(): JsonText {
    const rare = Array.from({ length: 90 }, (_, at) => (at % 2 === 0 ? `"rare ${at}"` : String(1000.5 + at)));
    return `[${[...rare, ...Array.from({ length: 10 }, () => this.value(2))].join(',')}]`;
  }

  #filterMember(depth: number): readonly [string, JsonText] {
    const random = this.#random;
    const kind = random.below(depth > 2 ? 16 : 22);
    if (kind === 20) return ['$not', this.filter(depth + 1)];
    if (kind > 15) {
      const parts = Array.from({ length: random.pick([0, 1, 2, 2, 3]) }, () => this.filter(depth + 1));
      return [kind < 18 ? '$and' : '$or', `[${parts.join(',')}]`];
    }
    if (kind === 0 && depth === 0) return ['_id', this.#idCondition()];
    if (kind === 1) return this.#reservedCondition(depth);
    return [this.path(), this.#condition()];
  }

  #reservedCondition(depth: number): readonly [string, JsonText] {
    const random = this.#random;
    if (depth === 0 && this.isSearchable && random.oneIn(2))
      return ['$lexical', `{"$match":${this.#words()}}`];
    return [random.oneIn(2) ? '$vector' : '$vectorize', `{"$exists":${random.oneIn(2)}}`];
  }

  #idCondition(): JsonText {
    const random = this.#random;
    const list = () => Array.from({ length: random.below(5) }, () => this.id()).join(',');
    switch (random.below(6)) {
      case 0:
        return `{"$in":[${list()}]}`;
      case 1:
        return `{"$ne":${random.pick(['"a"', '5', '"5"', '100'])}}`;
      case 2:
        return `{"$nin":[${random.pick(['"a"', '5', '"5",1e2', ''])}]}`;
      case 3:
        return `{"${random.pick(['$gt', '$gte', '$lt', '$lte'])}":${random.pick(ids.filter((id) => id !== 'null'))}}`;
      default:
        return this.id();
    }
  }

  #condition(): JsonText {
    const random = this.#random;
    if (random.oneIn(4)) return random.oneIn(5) ? `{"$eq":${this.value()}}` : this.scalar();
    if (random.oneIn(60))
      return random.pick(['{"$foo":1}', '[1]', '{"$in":5}', '{"$size":-1}', '{"$all":[]}', '{"$exists":1}']);
    const chosen = random.some(
      ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$all', '$exists', '$size'],
      random.oneIn(4) ? 2 : 1,
    );
    return `{${chosen.map((operator) => `"${operator}":${this.#operand(operator)}`).join(',')}}`;
  }

  #operand(operator: string): JsonText {
    const random = this.#random;
    switch (operator) {
      case '$eq':
      case '$ne':
        return this.value(1);
      case '$in':
      case '$nin':
        return this.list();
      case '$all':
        return `[${Array.from({ length: 1 + random.below(2) }, () => this.value(1)).join(',')}]`;
      case '$exists':
        return String(random.oneIn(2));
      case '$size':
        return random.pick(['0', '1', '2', '3', '2.0']);
      default: {
        const scalar = random.pick([...numbers, ...texts, 'true', 'false', '{"$date":0}', '{"$date":1000}']);
        return scalar;
      }
    }
  }

  sort(): JsonText {
    const random = this.#random;
    const chosen = random.some(
      ['n', 'a', 'b', 'o', 'tags', 'o.p', 'tags.0', 'd&.e', 'items.0.p', '_id', 'missing'],
      1 + random.below(2),
    );
    return `{${chosen.map((path) => `${JSON.stringify(path)}:${random.pick([1, -1])}`).join(',')}}`;
  }

  projection(): JsonText {
    const random = this.#random;
    if (random.oneIn(6))
      return random.pick([
        '{}',
        '{"*":1}',
        '{"*":0}',
        '{"_id":1}',
        '{"_id":0}',
        '{"$vector":1}',
        '{"$lexical":true,"_id":0}',
      ]);
    const isIncluding = random.oneIn(2);
    const members = new Map<string, string>();
    for (const path of random.some(
      ['a', 'b', 'n', 'o', 'o.p', 'o.q.r', 'tags', 'items', 'items.p', 'items.q', 'd&.e', '0'],
      1 + random.below(3),
    ))
      members.set(
        path,
        random.oneIn(30) ? '1' : isIncluding ? random.pick(['1', 'true', '5']) : random.pick(['0', 'false']),
      );
    if (random.oneIn(3))
      members.set(
        random.pick(['tags', 'items', 'o.p', 'a']),
        `{"$slice":${random.pick(['1', '-1', '2', '-2', '[1,1]', '[-2,1]', '[0,2]', '[5,1]'])}}`,
      );
    if (random.oneIn(3)) members.set('_id', random.pick(['0', '1']));
    if (random.oneIn(4))
      members.set(random.pick(['$vector', '$vectorize', '$lexical']), random.pick(['1', '0']));
    return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  update(): JsonText {
    const random = this.#random;
    const operators = new Map<string, JsonText[]>();
    for (let count = random.pick([1, 1, 1, 2, 3]); count > 0; count -= 1) {
      const [operator, member] = this.#action();
      operators.set(operator, [...(operators.get(operator) ?? []), member]);
    }
    const listed = [...operators].map(([operator, members]) => {
      const distinct = new Map(members.map((member) => [member.slice(0, member.indexOf('":')), member]));
      return `"${operator}":{${[...distinct.values()].join(',')}}`;
    });
    return `{${listed.join(',')}}`;
  }

  #action(): readonly [string, JsonText] {
    const random = this.#random;
    const path = random.pick(updatedPaths);
    const operator = random.pick(updateOperators);
    const at = (place: string, operand: JsonText) =>
      [operator, `${JSON.stringify(place)}:${operand}`] as const;
    switch (operator) {
      case '$inc':
      case '$mul':
        return at(random.oneIn(3) ? path : 'n', random.oneIn(50) ? '"x"' : random.pick(numbers));
      case '$push':
      case '$addToSet':
        return at(random.oneIn(3) ? path : 'tags', this.#added(operator));
      case '$pop':
        return at(random.oneIn(3) ? path : 'tags', random.oneIn(30) ? '2' : random.pick(['1', '-1']));
      case '$rename':
        return at(
          path,
          JSON.stringify(
            random.pick(['a', 'b', 'o.s', 'renamed', 'new.name', 'tags.0'].filter((each) => each !== path)),
          ),
        );
      case '$currentDate':
        return at('stamp', random.pick(['true', '{"$type":"date"}']));
      case '$setOnInsert':
        if (this.hasService && random.oneIn(4)) return at('$vectorize', this.#textToEmbed());
        return at(random.oneIn(4) ? '_id' : path, this.id());
      case '$unset':
        return at(random.oneIn(8) && this.#settings.hasVector ? this.#nameOfVector() : path, '1');
      default:
        if (operator === '$set' && random.oneIn(6)) return this.#setReserved();
        return at(path, operator === '$set' && random.oneIn(40) ? random.pick(badValues) : this.value());
    }
  }

  #setReserved(): readonly [string, JsonText] {
    const random = this.#random;
    const isVector = this.#settings.hasVector && random.oneIn(2);
    if (this.#hasText(3, 40)) return ['$set', `"$vectorize":${this.#textToEmbed()}`];
    return ['$set', isVector ? `"$vector":${this.#vector()}` : `"$lexical":${this.#words()}`];
  }

  #nameOfVector(): string {
    return this.hasService && this.#random.oneIn(2) ? '$vectorize' : '$vector';
  }

  #added(operator: string): JsonText {
    const random = this.#random;
    if (random.oneIn(2)) return this.value(1);
    const position =
      operator === '$push' && random.oneIn(2) ? `,"$position":${random.pick([0, 1, -1, 9, -9])}` : '';
    return `{"$each":${this.list(1)}${position}}`;
  }
}
