// Reads files of the format safetensors: a header in JSON with names, types and places, then the numbers.
import { createHash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import { membersOfJson, parseModelJson } from './model-files.js';
import { ModelProblem } from './model-problem.js';

/** A tensor of a file, without its numbers. */
export interface TensorPlace {
  /** `F32`, `I8`, …: see `elementBytes`. */
  readonly type: string;
  readonly shape: readonly number[];
  /** Where its bytes begin and end, from the end of the header. */
  readonly begin: number;
  readonly end: number;
}

/** The tensors of a file by name, those that were asked for with their bytes, and the SHA-256 of the whole file. */
export interface WeightsReading {
  readonly places: ReadonlyMap<string, TensorPlace>;
  readonly bytes: ReadonlyMap<string, ArrayBuffer>;
  readonly sha256: string;
}

/** The bytes of one element by its type. */
const elementBytes: Readonly<Record<string, number>> = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
};

const largestHeaderBytes = 10 * 1024 * 1024;
const mostTensors = 10_000;
/** The largest file of weights. */
export const largestWeightsBytes = 4 * 1024 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/**
 * Reads the whole file once. `wanted` chooses the tensors whose bytes are kept.
 * @throws ModelProblem for a file that is cut, too large, or not in the format
 */
export function readWeights(
  file: number,
  path: string,
  wanted: (places: WeightsReading['places']) => readonly string[],
): WeightsReading {
  const { size } = fstatSync(file);
  if (size > largestWeightsBytes)
    throw new ModelProblem(`${path} has ${size} bytes, and the most are ${largestWeightsBytes}`);
  const hash = createHash('sha256');
  const length = readExactly(file, path, 0, Math.min(8, size));
  const headerBytes = length.byteLength === 8 ? Number(length.readBigUInt64LE()) : Number.NaN;
  if (!(headerBytes <= largestHeaderBytes && 8 + headerBytes <= size))
    throw new ModelProblem(`${path} is not a safetensors file, or it is cut: its header has no end`);
  const header = readExactly(file, path, 8, headerBytes);
  const dataBytes = size - 8 - headerBytes;
  const places = readHeader(header, dataBytes, path);
  const bytes = new Map(
    wanted(places).flatMap((name) => {
      const place = places.get(name);
      return place === undefined ? [] : [[name, new ArrayBuffer(place.end - place.begin)] as const];
    }),
  );
  hash.update(length).update(header);
  for (let at = 0; at < dataBytes; at += pieceBytes) {
    const piece = readExactly(file, path, 8 + headerBytes + at, Math.min(pieceBytes, dataBytes - at));
    hash.update(piece);
    for (const [name, target] of bytes) copyPart(piece, at, target, places.get(name)?.begin ?? 0);
  }
  return { places, bytes, sha256: hash.digest('hex') };
}

function readExactly(file: number, path: string, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) throw new ModelProblem(`${path} became shorter while it was read`);
    done += count;
  }
  return bytes;
}

/** Copies what a piece, which begins at `at`, has of a tensor that begins at `begin`. */
function copyPart(piece: Buffer, at: number, target: ArrayBuffer, begin: number): void {
  const from = Math.max(at, begin);
  const to = Math.min(at + piece.length, begin + target.byteLength);
  if (from < to) new Uint8Array(target).set(piece.subarray(from - at, to - at), from - begin);
}

function readHeader(header: Buffer, dataBytes: number, path: string): ReadonlyMap<string, TensorPlace> {
  const json = membersOfJson(parseModelJson(header, `the header of ${path}`));
  const entries = Object.entries(json).filter(([name]) => name !== '__metadata__');
  if (entries.length === 0 || entries.length > mostTensors)
    throw new ModelProblem(`${path} has ${entries.length} tensors, and there can be 1 to ${mostTensors}`);
  const places = new Map(entries.map(([name, place]) => [name, readPlace(name, place, path)] as const));
  let end = 0;
  for (const [name, place] of [...places].sort(([, left], [, right]) => left.begin - right.begin)) {
    if (place.begin !== end) throw new ModelProblem(`${path} has a gap or an overlap before "${name}"`);
    end = place.end;
  }
  if (end !== dataBytes)
    throw new ModelProblem(`${path} is cut, or too long: it has ${dataBytes} bytes of numbers, not ${end}`);
  return places;
}

function readPlace(name: string, json: unknown, path: string): TensorPlace {
  const { dtype, shape, data_offsets: offsets } = membersOfJson(json);
  const [begin, end] = isSizes(offsets) && offsets.length === 2 ? offsets : [];
  const size =
    typeof dtype === 'string' && Object.hasOwn(elementBytes, dtype) ? elementBytes[dtype] : undefined;
  if (
    typeof dtype !== 'string' ||
    size === undefined ||
    !isSizes(shape) ||
    begin === undefined ||
    end === undefined
  )
    throw new ModelProblem(`${path} has a tensor "${name}" without a known type, a shape and a place`);
  const wantedBytes = shape.reduce((product, length) => product * length, size);
  if (end - begin !== wantedBytes)
    throw new ModelProblem(
      `${path} has the tensor "${name}" of shape [${shape}] in ${end - begin} bytes instead of ${wantedBytes}`,
    );
  return { type: dtype, shape, begin, end };
}

function isSizes(json: unknown): json is readonly number[] {
  return (
    Array.isArray(json) && json.length <= 8 && json.every((size) => Number.isSafeInteger(size) && size >= 0)
  );
}
