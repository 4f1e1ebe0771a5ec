// The highest of some scores, in a heap whose first one is the lowest.

/** f64 each; there is room for 7,680 up to the shared lists. */
const heapAt: usize = 4096;
let most: u32 = 0;
let size: u32 = 0;

let lowest: f64 = 0;

/** Begins with no scores; keeps at most so many, which are from `least` on. With 0, `lowestScore` stays `least`. */
export function beginScores(count: u32, least: f64): void {
  most = count;
  size = 0;
  lowest = least;
}

/** The lowest of the highest scores if there are enough; otherwise `least`. */
export function lowestScore(): f64 {
  return lowest;
}

/** Adds a score, which is not lower than `lowestScore`. */
export function addScore(score: f64): void {
  if (most === 0) return;
  if (size < most) {
    rise(size, score);
    size += 1;
  } else if (score > load<f64>(heapAt)) sink(score);
  if (size === most) lowest = load<f64>(heapAt);
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
