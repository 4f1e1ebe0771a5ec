// The numbers of a vector in either of its forms: a list, or `{"$binary": …}` with the bytes of its floats.
import { isList, isNumber, isObject, type Json } from '../json/exact-json.js';

const bytesOfFloat = 4;

/** The numbers of a vector as texts with all digits; undefined for a value that is not a vector. */
export function vectorNumbers(value: Json): readonly string[] | undefined {
  if (isList(value)) return value.every(isNumber) ? value.map(String) : undefined;
  const packed = isObject(value) ? value['$binary'] : undefined;
  return typeof packed === 'string' ? unpacked(packed) : undefined;
}

/** Floats of 32 bits in network order, as the official clients send them. */
function unpacked(text: string): readonly string[] | undefined {
  const bytes = decoded(text);
  if (bytes === undefined || bytes.length === 0 || bytes.length % bytesOfFloat !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / bytesOfFloat }, (_, at) =>
    shortestFloat(view.getFloat32(at * bytesOfFloat)),
  );
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined; // not base64
  }
}

/** Nine digits always give the same float again; fewer do for most. */
function shortestFloat(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}
