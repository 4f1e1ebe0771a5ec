// A bounded cache in which a hit costs one look-up: it has two generations instead of a list in order of use.

/**
 * Keeps at most `capacity` entries. Entries that were used since the last change of generations survive the next one;
 * unused entries are dropped.
 */
export class GenerationCache<Value> {
  readonly #generationSize: number;
  readonly #onDrop: ((value: Value) => void) | undefined;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** `capacity`: an even number of entries, at least 2. `onDrop` gets dropped entries. */
  constructor(capacity: number, onDrop?: (value: Value) => void) {
    this.#generationSize = capacity / 2;
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, old);
    return old;
  }

  /** Adds a key that `get` did not find. */
  set(key: string, value: Value): void {
    if (this.#young.size >= this.#generationSize) {
      const dropped = this.#old;
      this.#old = this.#young;
      this.#young = new Map();
      if (this.#onDrop !== undefined) for (const each of dropped.values()) this.#onDrop(each);
    }
    this.#young.set(key, value);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
