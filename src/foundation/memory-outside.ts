// Bounds the memory outside the JavaScript heap that is freed only when the garbage collector finds its object.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The least limit on memory that waits for the collector. */
const leastLimitBytes = 4 * 2 ** 20;
/**
 * The time of a collection grows with the heap, so more memory may wait beside a larger heap: this share of its size.
 */
const shareOfHeap = 0.5;
/** Collecting a larger heap at once would block its thread for too long; V8 then collects in small steps. */
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

  /** About how many bytes belong to objects that were released and not yet found by the collector. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * Call this when nothing refers to the object any more. It holds about so many bytes outside the heap and cannot free
   * them itself. If much waits, the garbage is collected in a later turn of the event loop: in a thread whose heap does
   * not grow, V8 would collect it hours later.
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

/** The instance of the calling thread. */
export const memoryOutside = new MemoryOutside();

/**
 * V8 makes its collector available to contexts that are created after this flag is set. Without it, V8 alone decides
 * when to collect.
 */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  return typeof collect === 'function' ? () => void collect() : () => {};
}
