// The codes of records: 8 bits for each value of a row, relative to the centre of the rows, with a scale for each row.
import * as m from './memory.as';

/**
 * Computes a record's codes from floats, which `prepare` made. `isCentred`: relative to the centre; for the dot product
 * it first adds the value that gives the radius.
 */
export function encode(record: usize, from: usize, isCentred: bool): void {
  if (isCentred && m.metric === m.metricDot) addRadius(from);
  if (m.codesWide === 0) return;
  let largest: f32 = 0;
  for (let i: usize = 0; i < m.floatsWide; i++) {
    largest = max<f32>(largest, abs<f32>(load<f32>(from + (i << 2)) - centreOf(i, isCentred)));
  }
  const scale = largest / 127;
  const factor: f64 = scale > 0 ? 127 / <f64>largest : 0;
  let squares: i32 = 0;
  for (let i: usize = 0; i < m.floatsWide; i++) {
    const value = load<f32>(from + (i << 2)) - centreOf(i, isCentred);
    const code = <i32>nearest<f64>(<f64>value * factor);
    store<i8>(record + m.codesIn + i, <i8>code);
    squares += code * code;
  }
  store<f32>(record, scale, m.scaleIn);
  store<f32>(record, scale * scale * <f32>squares, m.normIn);
  if (!m.hasFloats) store<u32>(record, squares, m.squaresIn);
}

function addRadius(from: usize): void {
  let squares: f32 = 0;
  for (let i: usize = 0; i < m.dimension; i++) {
    squares += load<f32>(from + (i << 2)) * load<f32>(from + (i << 2));
  }
  const missing = load<f32>(m.radiusAt) - squares;
  store<f32>(from + ((<usize>m.dimension) << 2), missing > 0 ? sqrt<f32>(missing) : 0);
}

function centreOf(i: usize, isCentred: bool): f32 {
  return isCentred ? load<f32>(m.centreAt + (i << 2)) : 0;
}

/** Writes the floats that a record's codes represent to `row`. */
export function decode(record: usize, isCentred: bool): void {
  const scale = load<f32>(record, m.scaleIn);
  for (let i: usize = 0; i < m.floatsWide; i++) {
    const value = scale * <f32>load<i8>(record + m.codesIn + i);
    store<f32>(m.row + (i << 2), value + centreOf(i, isCentred));
  }
}
