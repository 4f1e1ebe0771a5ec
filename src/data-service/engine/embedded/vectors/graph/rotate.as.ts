// Rotates vectors before they get codes. A row has one scale for all of its codes, so that a value which is much larger
// than the others leaves few codes for these. The rotation spreads each value over at least half of all; distances and
// products stay the same.
//
// It changes the sign of about half of the values and multiplies them by a Hadamard matrix, whose width is a power of
// two. Where the dimension is none, a second multiplication begins later and overlaps the first. Without the signs, a
// value that all elements share would become one large value.
import * as m from './memory.as';

/** Whether the sign of an element is changed: a bit of a number that depends on its index alone. */
function isNegated(i: usize): bool {
  let mixed = (<u32>i + 1) * 0x9e3779b1;
  mixed = (mixed ^ (mixed >> 15)) * 0x85ebca77;
  return ((mixed ^ (mixed >> 13)) & 1) !== 0;
}

/** Rotates the doubles at `rotated` and stores them as floats at `to`. */
export function rotate(to: usize): void {
  const width: usize = 1 << (31 - clz<u32>(m.dimension));
  for (let i: usize = 0; i < m.dimension; i++) {
    const at = m.rotated + (i << 3);
    if (isNegated(i)) store<f64>(at, -load<f64>(at));
  }
  multiply(m.rotated, width);
  if (width < <usize>m.dimension) multiply(m.rotated + ((<usize>m.dimension - width) << 3), width);
  for (let i: usize = 0; i < m.dimension; i++) {
    // Values of the largest vectors can be beyond the range of floats.
    const value = min<f64>(
      max<f64>(load<f64>(m.rotated + (i << 3)), <f64>-f32.MAX_VALUE),
      <f64>f32.MAX_VALUE,
    );
    store<f32>(to + (i << 2), <f32>value);
  }
}

/** Multiplies doubles by the Hadamard matrix of a width of at least 32, whose rows have length 1. */
function multiply(from: usize, width: usize): void {
  const bytes = width << 3;
  for (let at: usize = from; at < from + bytes; at += 16) {
    const pair = v128.load(at);
    const sum = f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
    const difference = f64x2.extract_lane(pair, 0) - f64x2.extract_lane(pair, 1);
    v128.store(at, f64x2.replace_lane(f64x2.splat(sum), 1, difference));
  }
  for (let half: usize = 16; half < bytes; half <<= 1) {
    for (let block = from; block < from + bytes; block += half << 1) {
      for (let at = block; at < block + half; at += 16) {
        const left = v128.load(at);
        const right = v128.load(at + half);
        v128.store(at, f64x2.add(left, right));
        v128.store(at + half, f64x2.sub(left, right));
      }
    }
  }
  const factor = f64x2.splat(1 / sqrt<f64>(<f64>width));
  for (let at: usize = from; at < from + bytes; at += 16) v128.store(at, f64x2.mul(v128.load(at), factor));
}
