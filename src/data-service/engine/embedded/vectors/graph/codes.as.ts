// The codes of records: 8 bits for each value of a row, relative to the centre of the rows, with a scale for each row.
import * as m from './memory.as';

/** The centre of rows that are coded without one. */
export const noCentre: usize = 0;

/**
 * Computes a record's codes from floats, which `prepare` made, relative to the floats at `centre` or to `noCentre`.
 * With a centre it first adds, for the dot product, the value that gives the radius.
 */
export function encode(record: usize, from: usize, centre: usize): void {
  if (centre !== noCentre && m.metric === m.metricDot) addRadius(from);
  if (m.codesWide === 0) return;
  let largest: f32 = 0;
  for (let i: usize = 0; i < m.floatsWide; i++) {
    largest = max<f32>(largest, abs<f32>(load<f32>(from + (i << 2)) - elementOf(centre, i)));
  }
  const scale = largest / 127;
  const factor: f64 = scale > 0 ? 127 / <f64>largest : 0;
  let squares: i32 = 0;
  for (let i: usize = 0; i < m.floatsWide; i++) {
    const value = load<f32>(from + (i << 2)) - elementOf(centre, i);
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

function elementOf(centre: usize, i: usize): f32 {
  return centre === noCentre ? 0 : load<f32>(centre + (i << 2));
}

/** Writes the floats that a record's codes represent to `row`; those of rows that are apart have no centre. */
export function decode(record: usize): void {
  const centre = load<u8>(record, m.stateIn) === m.stateApart ? noCentre : m.centreAt;
  const scale = load<f32>(record, m.scaleIn);
  for (let i: usize = 0; i < m.floatsWide; i++) {
    const value = scale * <f32>load<i8>(record + m.codesIn + i);
    store<f32>(m.row + (i << 2), value + elementOf(centre, i));
  }
}
