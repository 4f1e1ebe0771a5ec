// Finds members of documents whose types a CSV file does not keep: an import guesses types from texts.
import { describedType, isNumeric } from '../descriptions/type-description.js';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../foundation/json/json-value.js';
import { fieldText } from './field-value.js';
import { type GuessedType, guessedTypes, TypeGuess } from './guess-type.js';

/** Types of values in documents. */
type MemberType = 'text' | 'number' | 'boolean' | 'date' | 'uuid' | 'objectId' | 'binary' | 'json';

/** With which guesses an import writes a value of the same type again. */
const keptBy: Readonly<Record<MemberType, readonly GuessedType[]>> = {
  text: ['text', 'date'],
  number: guessedTypes.filter((type) => isNumeric(describedType(type))),
  boolean: ['boolean'],
  date: ['timestamp', 'json'],
  uuid: ['uuid'],
  objectId: [],
  binary: [],
  json: ['json'],
};

/** The values that one member has in all documents. */
export class MemberValues {
  readonly #guess = new TypeGuess();
  readonly #types = new Set<MemberType>();

  /** Adds the value of a document; null and no value have no type. */
  add(value: JsonValue): void {
    if (value === null) return;
    this.#guess.add(fieldText(value));
    this.#types.add(typeOf(value));
  }

  /** A part such as `number becomes text` for each type that an import changes; undefined if it keeps all. */
  get changes(): string | undefined {
    const guess = this.#guess.type;
    const changed = [...this.#types].filter((type) => !keptBy[type].includes(guess));
    if (changed.length === 0) return undefined;
    return changed.map((type) => `${type} becomes ${guess}`).join(', ');
  }
}

function typeOf(value: Exclude<JsonValue, null>): MemberType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (value instanceof JsonNumber) return 'number';
  if (isJsonArray(value) || !isJsonObject(value) || value.size !== 1) return 'json';
  const [[name] = ['']] = value;
  return typesOfObjects.get(name) ?? 'json';
}

const typesOfObjects: ReadonlyMap<string, MemberType> = new Map([
  ['$date', 'date'],
  ['$uuid', 'uuid'],
  ['$objectId', 'objectId'],
  ['$binary', 'binary'],
]);

/** Names in a warning; the others are counted. */
const mostNames = 20;

/** The warning about these members; undefined if an import keeps all types. */
export function changedTypesWarning(
  collection: string,
  members: ReadonlyMap<string, MemberValues>,
): string | undefined {
  const changed = [...members].flatMap(([name, { changes }]) =>
    changes === undefined ? [] : [`${name} (${changes})`],
  );
  if (changed.length === 0) return undefined;
  const more = changed.length > mostNames ? `, and ${changed.length - mostNames} more` : '';
  return (
    `warning: CSV does not keep the types of all members of ${collection}. Where an import guesses them: ` +
    `${changed.slice(0, mostNames).join('; ')}${more}. A file .ndjson keeps all types`
  );
}
