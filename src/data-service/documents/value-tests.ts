// Comparisons of many values with the same operands, which are prepared once.
import { isJsonArray, JsonNumber, type JsonValue } from '../../foundation/json/json-value.js';
import { compareNumbers, plainNumber } from './numbers.js';
import { comparedValue, compareValues, equalValues, valueKind } from './values.js';

/** Whether a value, undefined for a missing one, passes. */
export type ValueTest = (value: JsonValue | undefined) => boolean;

/** Whether it is neither an array nor an object; extended values are scalars. */
export function isScalar(value: JsonValue): boolean {
  const kind = valueKind(value);
  return kind !== 'array' && kind !== 'object';
}

/** The operands by kind, in forms that are the same for equal values. */
class Operands {
  readonly texts = new Set<string>();
  readonly numbers = new Set<string>();
  /** These numbers as doubles: most values differ from all of them, and need no text for that. */
  readonly doubles = new Set<number>();
  readonly dates = new Set<string>();
  readonly booleans = new Set<boolean>();
  readonly containers: JsonValue[] = [];
  hasNull = false;

  add(operand: JsonValue): void {
    const compared = comparedValue(operand);
    switch (compared.kind) {
      case 'null':
        this.hasNull = true;
        return;
      case 'number':
        this.numbers.add(plainNumber(compared.text));
        this.doubles.add(Number(compared.text));
        return;
      case 'string':
        this.texts.add(compared.text);
        return;
      case 'boolean':
        this.booleans.add(compared.value);
        return;
      case 'date':
        this.dates.add(plainNumber(compared.text));
        return;
      case 'array':
      case 'object':
        this.containers.push(operand);
    }
  }

  has(value: JsonValue): boolean {
    if (typeof value === 'string') return this.texts.has(value);
    if (value instanceof JsonNumber) return this.#hasNumber(value.text);
    if (typeof value === 'boolean') return this.booleans.has(value);
    if (value === null) return this.hasNull;
    return this.#hasObject(value);
  }

  #hasNumber(text: string): boolean {
    return this.doubles.size > 0 && this.doubles.has(Number(text)) && this.numbers.has(plainNumber(text));
  }

  /** Arrays, objects and extended values. */
  #hasObject(value: Exclude<JsonValue, null | string | boolean | JsonNumber>): boolean {
    if (!isJsonArray(value) && value.size === 1) {
      const compared = comparedValue(value);
      if (compared.kind === 'string') return this.texts.has(compared.text);
      if (compared.kind === 'date') return this.dates.has(plainNumber(compared.text));
    }
    for (const container of this.containers) if (equalValues(container, value)) return true;
    return false;
  }
}

/** Whether a value equals one of the operands. */
export function isOneOf(operands: readonly JsonValue[]): (value: JsonValue) => boolean {
  const prepared = new Operands();
  for (const operand of operands) prepared.add(operand);
  return (value) => prepared.has(value);
}

/** Whether the order of a value and the operand passes; values of other kinds never do, nor arrays and objects. */
export function rangeTest(operand: JsonValue, accepts: (order: number) => boolean): ValueTest {
  const compared = comparedValue(operand);
  switch (compared.kind) {
    case 'number': {
      const { text } = compared;
      return (value) => value instanceof JsonNumber && accepts(compareNumbers(value.text, text));
    }
    case 'string':
    case 'boolean':
    case 'date':
      return (value) =>
        value !== undefined && valueKind(value) === compared.kind && accepts(compareValues(value, operand));
    case 'null':
    case 'array':
    case 'object':
      return () => false;
  }
}
