// The highest of some scores, in a heap whose first one is the lowest.

/** f64 each. */
const heapAt: usize = 4096;
let most: u32 = 0;
let size: u32 = 0;

/** Begins with no scores; keeps at most so many. */
export function beginScores(count: u32): void {
  most = count;
  size = 0;
}

/** Adds a score. Returns the lowest of the highest ones, or `least` if that is higher or there are too few. */
export function addScore(score: f64, least: f64): f64 {
  if (size < most) {
    rise(size, score);
    size += 1;
    return size < most ? least : max<f64>(least, load<f64>(heapAt));
  }
  if (score > load<f64>(heapAt)) sink(score);
  return max<f64>(least, load<f64>(heapAt));
}

function rise(from: u32, value: f64): void {
  let place = from;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const other = load<f64>(heapAt + ((<usize>above) << 3));
    if (other <= value) break;
    store<f64>(heapAt + ((<usize>place) << 3), other);
    place = above;
  }
  store<f64>(heapAt + ((<usize>place) << 3), value);
}

/** Replaces the lowest score. */
function sink(value: f64): void {
  let place: u32 = 0;
  for (let below: u32 = 1; below < size; below = place * 2 + 1) {
    let child = heapAt + ((<usize>below) << 3);
    if (below + 1 < size && load<f64>(child, 8) < load<f64>(child)) {
      below += 1;
      child += 8;
    }
    if (load<f64>(child) >= value) break;
    store<f64>(heapAt + ((<usize>place) << 3), load<f64>(child));
    place = below;
  }
  store<f64>(heapAt + ((<usize>place) << 3), value);
}
