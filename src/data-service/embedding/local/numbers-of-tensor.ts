// The numbers of tensors: matrices that stay in the form of the file, and lists.
import { ModelProblem } from './model-problem.js';

/** A list of numbers in the form of the file. */
export type StoredNumbers = Float32Array | Float64Array | Int8Array | HalfNumbers;

/** Numbers of 16 bits, with the value of each pattern of bits. All models of one form share `values`. */
export interface HalfNumbers {
  readonly bits: Uint16Array;
  readonly values: Float32Array;
}

/** The forms of numbers that models of words can have. */
export const storedTypes = ['F32', 'F16', 'BF16', 'I8', 'F64'] as const;

/**
 * The numbers of a tensor of one of `storedTypes`.
 * @throws ModelProblem for another type, and for numbers that are not finite
 */
export function storedNumbers(type: string, bytes: ArrayBuffer, name: string): StoredNumbers {
  const numbers = inForm(type, bytes, name);
  const at = placeOfInfinite(numbers);
  if (at >= 0) throw new ModelProblem(`the tensor "${name}" has a number that is not finite, at ${at}`);
  return numbers;
}

function inForm(type: string, bytes: ArrayBuffer, name: string): StoredNumbers {
  switch (type) {
    case 'F32':
      return new Float32Array(bytes);
    case 'F64':
      return new Float64Array(bytes);
    case 'I8':
      return new Int8Array(bytes);
    case 'F16':
      return { bits: new Uint16Array(bytes), values: valuesOfHalf() };
    case 'BF16':
      return { bits: new Uint16Array(bytes), values: valuesOfBrain() };
  }
  throw new ModelProblem(
    `the tensor "${name}" has the type ${type}, which is none of ${storedTypes.join(', ')}`,
  );
}

/** Whether numbers have 16 bits. */
export function isHalf(numbers: StoredNumbers): numbers is HalfNumbers {
  return 'bits' in numbers;
}

/** The numbers of a short list, as floats. */
export function asFloats(numbers: StoredNumbers): Float32Array {
  if (!isHalf(numbers)) return numbers instanceof Float32Array ? numbers : Float32Array.from(numbers);
  const { bits, values } = numbers;
  return Float32Array.from(bits, (pattern) => values[pattern] ?? 0);
}

/**
 * The integers of a tensor of the type I64 or I32, each from 0 and below `limit`.
 * @throws ModelProblem for another type or value
 */
export function storedIntegers(type: string, bytes: ArrayBuffer, name: string, limit: number): Int32Array {
  if (type !== 'I64' && type !== 'I32')
    throw new ModelProblem(`the tensor "${name}" has the type ${type} instead of I64 or I32`);
  const found = type === 'I32' ? new Int32Array(bytes) : Int32Array.from(new BigInt64Array(bytes), toInteger);
  const wrong = found.findIndex((value) => value < 0 || value >= limit);
  if (wrong >= 0)
    throw new ModelProblem(`the tensor "${name}" has a row that the model does not have, at ${wrong}`);
  return found;
}

/** An integer that does not fit becomes -1, which no row has. */
function toInteger(value: bigint): number {
  return value >= 0n && value < 2n ** 31n ? Number(value) : -1;
}

function placeOfInfinite(numbers: StoredNumbers): number {
  if (isHalf(numbers)) {
    const { bits, values } = numbers;
    return bits.findIndex((pattern) => !Number.isFinite(values[pattern]));
  }
  return numbers instanceof Int8Array ? -1 : numbers.findIndex((number) => !Number.isFinite(number));
}

let half: Float32Array | undefined;
let brain: Float32Array | undefined;

/** IEEE 754 with 5 bits of exponent and 10 of fraction. */
function valuesOfHalf(): Float32Array {
  half ??= Float32Array.from({ length: 65_536 }, (_, bits) => {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size =
      exponent === 0
        ? fraction * 2 ** -24
        : exponent === 31
          ? fraction === 0
            ? Number.POSITIVE_INFINITY
            : Number.NaN
          : (1024 + fraction) * 2 ** (exponent - 25);
    return bits < 32_768 ? size : -size;
  });
  return half;
}

/** The upper half of a float of 32 bits. */
function valuesOfBrain(): Float32Array {
  brain ??= new Float32Array(Uint32Array.from({ length: 65_536 }, (_, bits) => bits * 65_536).buffer);
  return brain;
}
