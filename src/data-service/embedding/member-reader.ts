// Reads the members of an object one by one, and collects the problems.
import {
  isJsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';

/**
 * An object that is read member by member. An absent member is undefined; an invalid one is undefined and adds a
 * problem.
 */
export class MemberReader {
  readonly #json: JsonObject;
  readonly #at: string;
  readonly #problems: string[];
  readonly #taken = new Set<string>();

  constructor(json: JsonObject, at: string, problems: string[]) {
    this.#json = json;
    this.#at = at;
    this.#problems = problems;
  }

  /** A reader of an object inside this one. */
  inside(json: JsonObject, at: string): MemberReader {
    return new MemberReader(json, `${at} of ${this.#at}`, this.#problems);
  }

  /** Adds a problem; `text` follows the path: `needs "url"`. */
  problem(text: string): void {
    this.#problems.push(`${this.#at} ${text}`);
  }

  /** Any JSON value. */
  take(name: string): JsonValue | undefined {
    this.#taken.add(name);
    return this.#json.get(name);
  }

  /** A string that is not empty. */
  text(name: string): string | undefined {
    return this.#read(name, 'a string that is not empty', textIn);
  }

  /** `true` or `false`. */
  flag(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (json) => (typeof json === 'boolean' ? json : undefined));
  }

  /** A whole number. */
  integer(name: string, least: number, most: number): number | undefined {
    return this.#read(name, `a whole number from ${least} to ${most}`, (json) =>
      integerIn(json, least, most),
    );
  }

  /** An array of whole numbers, at least one. */
  integers(name: string, least: number, most: number): readonly number[] | undefined {
    const wanted = `an array of whole numbers from ${least} to ${most}`;
    return this.#read(name, wanted, (json) => listIn(json, (element) => integerIn(element, least, most)));
  }

  /** An array of strings that are not empty, at least one. */
  texts(name: string): readonly string[] | undefined {
    return this.#read(name, 'an array of strings', (json) => listIn(json, textIn));
  }

  /** One of some words. */
  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const wanted = `one of ${choices.join(', ')}`;
    return this.#read(name, wanted, (json) => choices.find((choice) => choice === json));
  }

  /** Reports every member that was not read as a problem. */
  refuseOthers(): void {
    for (const name of this.#json.keys()) {
      if (!this.#taken.has(name))
        this.problem(`has the unknown member "${name}"; there are: ${[...this.#taken].join(', ')}`);
    }
  }

  #read<Value>(
    name: string,
    wanted: string,
    valueIn: (json: JsonValue) => Value | undefined,
  ): Value | undefined {
    const json = this.take(name);
    if (json === undefined) return undefined;
    const value = valueIn(json);
    if (value === undefined) this.problem(`has "${name}", which must be ${wanted}`);
    return value;
  }
}

function textIn(json: JsonValue): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}

function integerIn(json: JsonValue, least: number, most: number): number | undefined {
  const value = json instanceof JsonNumber ? Number(json.text) : Number.NaN;
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

function listIn<Element>(
  json: JsonValue,
  elementIn: (json: JsonValue) => Element | undefined,
): readonly Element[] | undefined {
  if (!isJsonArray(json) || json.length === 0) return undefined;
  const elements = json.flatMap((element) => elementIn(element) ?? []);
  return elements.length === json.length ? elements : undefined;
}
