// Bounds the memory outside the JavaScript heap that is released only when the garbage collector finds its object.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory that may wait for the collector. */
const leastLimitBytes = 4 * 2 ** 20;
/** A collection takes time by the size of the heap: a larger heap lets more wait, at this share of its size. */
const shareOfHeap = 0.5;
/** Collecting a larger heap at once would block its thread for too long; V8 does it in small steps when needed. */
const largestHeapBytes = 32 * 2 ** 20;

/** The memory that waits for the collector of one thread. */
export class MemoryOutside {
  readonly #found: FinalizationRegistry<number>;
  #waitingBytes = 0;
  /** The memory released since the last requested collection. */
  #newBytes = 0;
  #isDue = false;
  #collect: (() => void) | undefined;

  constructor() {
    this.#found = new FinalizationRegistry((sizeBytes) => {
      this.#waitingBytes -= sizeBytes;
    });
  }

  /** About how many bytes belong to objects that were released and not found by the collector yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * Nothing refers to an object any more, which holds about so many bytes outside the heap and has no way to free
   * them. Where much waits, the garbage is collected in a later turn of the event loop: a thread whose heap does not
   * grow would do it hours later.
   */
  release(object: object, sizeBytes: number): void {
    this.#found.register(object, sizeBytes);
    this.#waitingBytes += sizeBytes;
    this.#newBytes += sizeBytes;
    if (this.#isDue || this.#newBytes < leastLimitBytes || !this.#isWorthIt()) return;
    this.#isDue = true;
    setImmediate(() => this.#collectNow()).unref();
  }

  /** Memory that is still in use must not cause a collection each time. */
  #isWorthIt(): boolean {
    const heapBytes = getHeapStatistics().used_heap_size;
    const limitBytes = Math.max(leastLimitBytes, heapBytes * shareOfHeap);
    return Math.min(this.#newBytes, this.#waitingBytes) >= limitBytes && heapBytes <= largestHeapBytes;
  }

  #collectNow(): void {
    this.#isDue = false;
    this.#newBytes = 0;
    this.#collect ??= garbageCollector();
    this.#collect();
  }
}

/** That of the calling thread. */
export const memoryOutside = new MemoryOutside();

/** V8 offers its collector to contexts that are made after this flag. Without it, V8 alone decides when to collect. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  return typeof collect === 'function' ? () => void collect() : () => {};
}
