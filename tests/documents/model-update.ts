// Updates as the model of collections applies them: written from the contract, without code of the product.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { embeddedText } from './model-embedding.js';
import { Refusal, refuse } from './model-problem.js';
import {
  isIndex,
  type Members,
  nodeText,
  order,
  partsOf,
  productOf,
  sumOf,
  wrapperOf,
} from './model-value.js';

/** A document after an update, and whether an operator has changed it. */
export interface Updated {
  readonly document: Members;
  readonly isChanged: boolean;
}

type Parts = readonly string[];
type Container = Map<string, JsonValue> | JsonValue[];

/** Instants of `$currentDate` are compared as one. */
const now = new Map([['$date', new JsonNumber('1700000000000')]]);

const operators = [
  '$addToSet',
  '$currentDate',
  '$inc',
  '$max',
  '$min',
  '$mul',
  '$pop',
  '$push',
  '$rename',
  '$set',
  '$setOnInsert',
  '$unset',
];

/** What can be seen to be wrong without a document. `hasService`: whether texts are embedded. @throws Refusal */
export function checkUpdate(update: JsonObject, hasService: boolean): void {
  const paths: Parts[] = [];
  for (const [operator, operands] of update) {
    if (!operators.includes(operator)) refuse('UNSUPPORTED_UPDATE_OPERATION');
    if (operands === null || !isJsonObject(operands)) throw new Refusal('UNSUPPORTED_UPDATE_DATA_TYPE');
    if (operands.has('$vector') && operands.has('$vectorize') && operator !== '$setOnInsert')
      refuse('INVALID_USAGE_OF_VECTORIZE');
    for (const [path, operand] of operands) {
      if (partsOf(path)[0] === '_id' && operator !== '$setOnInsert')
        refuse('UNSUPPORTED_UPDATE_OPERATOR_FOR_DOC_ID');
      checkOperand(operator, operand);
      paths.push(partsOf(path));
    }
  }
  for (const [at, one] of paths.entries())
    for (const other of paths.slice(at + 1)) {
      const length = Math.min(one.length, other.length);
      if (one.slice(0, length).join('\0') === other.slice(0, length).join('\0'))
        refuse('UNSUPPORTED_UPDATE_OPERATION_PARAM');
    }
  const isVectorized = [...update].some(
    ([operator, operands]) => operator !== '$unset' && (operands as Members).has('$vectorize'),
  );
  if (isVectorized && !hasService) refuse('EMBEDDING_SERVICE_NOT_CONFIGURED');
}

function checkOperand(operator: string, operand: JsonValue): void {
  const isNumber = operand instanceof JsonNumber;
  if ((operator === '$inc' || operator === '$mul') && !isNumber) refuse('UNSUPPORTED_UPDATE_OPERATION_PARAM');
  if (operator === '$pop' && !(isNumber && Math.abs(Number(operand.text)) === 1))
    refuse('UNSUPPORTED_UPDATE_OPERATION_PARAM');
}

/** Applies an update. @throws Refusal */
export function updated(whole: Members, update: JsonObject, isUpsert: boolean): Updated {
  const work = new Work(whole);
  for (const operator of operators) {
    const operands = update.get(operator);
    if (operands === undefined || (operator === '$setOnInsert' && !isUpsert)) continue;
    const listed = [...(operands as Members)].map(([path, operand]) => [partsOf(path), operand] as const);
    listed.sort(([left], [right]) => orderOfParts(left, right));
    for (const [parts, operand] of listed) work.apply(operator, parts, operand);
  }
  return { document: work.root, isChanged: work.isChanged };
}

function orderOfParts(left: Parts, right: Parts): number {
  for (const [at, part] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (part !== other) return part < other ? -1 : 1;
  }
  return left.length - right.length;
}

function copyOf(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return value;
  if (isJsonArray(value)) return value.map(copyOf);
  return new Map([...value].map(([name, member]) => [name, copyOf(member)] as const));
}

class Work {
  readonly root: Map<string, JsonValue>;
  isChanged = false;

  constructor(whole: Members) {
    this.root = copyOf(whole) as Map<string, JsonValue>;
  }

  apply(operator: string, parts: Parts, operand: JsonValue): void {
    switch (operator) {
      case '$set':
      case '$setOnInsert':
        if (parts[0] === '$vectorize') this.#vectorize(operand);
        else this.#assign(parts, operand);
        if (parts[0] === '$vector') this.#remove(['$vectorize']);
        return;
      case '$unset':
        this.#remove(parts);
        if (parts[0] === '$vector') this.#remove(['$vectorize']);
        if (parts[0] === '$vectorize') this.#remove(['$vector']);
        return;
      case '$inc':
      case '$mul':
        this.#compute(operator, parts, operand as JsonNumber);
        return;
      case '$min':
      case '$max': {
        const before = this.#at(parts);
        const sign = operator === '$min' ? -1 : 1;
        if (before === undefined || Math.sign(order(operand, before)) === sign) this.#assign(parts, operand);
        return;
      }
      case '$push':
      case '$addToSet':
        this.#extend(operator, parts, operand);
        return;
      case '$pop': {
        const list = this.#list(parts);
        if (list === undefined || list.length === 0) return;
        this.#write(parts, Number((operand as JsonNumber).text) > 0 ? list.slice(0, -1) : list.slice(1));
        return;
      }
      case '$rename':
        this.#rename(parts, partsOf(String(operand)));
        return;
      default:
        this.#write(parts, now);
    }
  }

  #at(parts: Parts): JsonValue | undefined {
    let value: JsonValue | undefined = this.root;
    for (const part of parts) value = childOf(value, part);
    return value;
  }

  /** A text that is there already keeps its vector. */
  #vectorize(text: JsonValue): void {
    if (this.root.get('$vectorize') === text) return;
    this.#assign(['$vectorize'], text);
    this.#assign(['$vector'], embeddedText(text));
  }

  #assign(parts: Parts, value: JsonValue): void {
    const before = this.#at(parts);
    if (before === undefined || nodeText(before) !== nodeText(value)) this.#write(parts, value);
  }

  /** Always a change. */
  #write(parts: Parts, value: JsonValue): void {
    const place = this.#containerOf(parts);
    const last = parts.at(-1) ?? '';
    if (Array.isArray(place)) put(place, last, copyOf(value));
    else place.set(last, copyOf(value));
    this.isChanged = true;
  }

  #containerOf(parts: Parts): Container {
    let place: Container = this.root;
    for (const part of parts.slice(0, -1)) {
      let child: JsonValue | undefined = childOf(place, part);
      if (child === undefined) {
        child = new Map();
        if (Array.isArray(place)) put(place, part, child);
        else place.set(part, child);
      }
      if (!Array.isArray(child) && !(child instanceof Map))
        return refuse('UNSUPPORTED_UPDATE_OPERATION_PATH');
      place = child;
    }
    if (Array.isArray(place) && !isIndex(parts.at(-1) ?? '')) refuse('UNSUPPORTED_UPDATE_OPERATION_PATH');
    return place;
  }

  #remove(parts: Parts): void {
    const before = this.#at(parts);
    if (before === undefined) return;
    const place = this.#at(parts.slice(0, -1));
    const last = parts.at(-1) ?? '';
    if (place instanceof Map) place.delete(last);
    else if (Array.isArray(place)) {
      if (before === null) return;
      place[Number(last)] = null;
    }
    this.isChanged = true;
  }

  #compute(operator: '$inc' | '$mul', parts: Parts, { text }: JsonNumber): void {
    const before = this.#at(parts);
    if (before !== undefined && !(before instanceof JsonNumber))
      throw new Refusal('UNSUPPORTED_UPDATE_OPERATION_TARGET');
    if (before === undefined) this.#write(parts, new JsonNumber(operator === '$inc' ? text : '0'));
    else {
      const next = operator === '$inc' ? sumOf(before.text, text) : productOf(before.text, text);
      this.#assign(parts, new JsonNumber(next));
    }
  }

  #list(parts: Parts): readonly JsonValue[] | undefined {
    const before = this.#at(parts);
    if (before === undefined) return undefined;
    return isJsonArray(before) ? before : refuse('UNSUPPORTED_UPDATE_OPERATION_TARGET');
  }

  #extend(operator: '$push' | '$addToSet', parts: Parts, operand: JsonValue): void {
    const before = this.#list(parts);
    const list = [...(before ?? [])];
    const isObject = operand !== null && isJsonObject(operand) && operand.has('$each');
    const values = isObject ? (operand.get('$each') as readonly JsonValue[]) : [operand];
    if (operator === '$addToSet') {
      for (const value of values)
        if (!list.some((element) => nodeText(element) === nodeText(value))) list.push(value);
      if (before === undefined || list.length > before.length) this.#write(parts, list);
      return;
    }
    const position = isObject ? operand.get('$position') : undefined;
    const wanted = position instanceof JsonNumber ? Number(position.text) : list.length;
    const at = wanted < 0 ? Math.max(0, list.length + wanted) : Math.min(wanted, list.length);
    this.#write(parts, [...list.slice(0, at), ...values, ...list.slice(at)]);
  }

  #rename(from: Parts, to: Parts): void {
    const value = this.#at(from);
    if (value === undefined) return;
    const isInArray = (parts: Parts) => Array.isArray(this.#at(parts.slice(0, -1)));
    if (isInArray(from) || isInArray(to)) refuse('UNSUPPORTED_UPDATE_OPERATION_PATH');
    this.#remove(from);
    this.#write(to, value);
  }
}

function childOf(value: JsonValue | undefined, part: string): JsonValue | undefined {
  if (value === undefined || value === null || typeof value !== 'object') return undefined;
  if (isJsonArray(value)) return isIndex(part) ? value[Number(part)] : undefined;
  return isJsonObject(value) ? value.get(part) : undefined;
}

function put(list: JsonValue[], part: string, value: JsonValue): void {
  if (!isIndex(part) || Number(part) >= 1_000) refuse('UNSUPPORTED_UPDATE_OPERATION_PATH');
  while (list.length < Number(part)) list.push(null);
  list[Number(part)] = value;
}

/** The document that an upsert begins with. */
export function seedOf(filter: JsonObject | undefined): Members {
  const work = new Work(new Map());
  const pairs = equalities(filter);
  for (const [path, value] of [
    ...pairs.filter(([each]) => each === '_id'),
    ...pairs.filter(([each]) => each !== '_id'),
  ])
    work.apply('$set', partsOf(path), value);
  return work.root;
}

function equalities(filter: JsonObject | undefined): readonly (readonly [string, JsonValue])[] {
  return [...(filter ?? [])].flatMap(([name, value]): (readonly [string, JsonValue])[] => {
    if (name === '$and') return (value as readonly Members[]).flatMap(equalities);
    if (name.startsWith('$')) return [];
    const isOperators = value !== null && isJsonObject(value) && wrapperOf(value) === undefined;
    if (!isOperators || ![...value.keys()].some((each) => each.startsWith('$'))) return [[name, value]];
    const equal = value.get('$eq');
    if (equal !== undefined) return [[name, equal]];
    const list = value.get('$in');
    return name === '_id' && isJsonArray(list ?? null) && (list as readonly JsonValue[]).length === 1
      ? [[name, (list as readonly JsonValue[])[0] ?? null]]
      : [];
  });
}
