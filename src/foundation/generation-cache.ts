// A bounded cache in which a hit costs one look-up: it has two generations instead of a list in order of use.

/** A longer key counts as several entries: what is kept for a text grows with its length. */
const charactersOfEntry = 1_024;

/**
 * Keeps at most `capacity` entries, or fewer with long keys. Entries that were used since the last change of
 * generations survive the next one; unused entries are dropped. Entries that are larger than a generation have one for
 * themselves.
 */
export class GenerationCache<Value> {
  readonly #generationSize: number;
  readonly #onDrop: ((value: Value) => void) | undefined;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  /** How many entries the young ones count as. */
  #youngCount = 0;

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
    const count = 1 + Math.floor(key.length / charactersOfEntry);
    if (this.#youngCount + count > this.#generationSize && this.#young.size > 0) {
      const dropped = this.#old;
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngCount = 0;
      if (this.#onDrop !== undefined) for (const each of dropped.values()) this.#onDrop(each);
    }
    this.#young.set(key, value);
    this.#youngCount += count;
  }

  clear(): void {
    this.#young.clear();
    this.#youngCount = 0;
    this.#old.clear();
  }
}
