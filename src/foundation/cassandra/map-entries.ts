// Maps as the driver decodes them.

/** A map that is filled once and then iterated over. Other than a `Map`, it does not take the keys 0 and -0 for one. */
export class MapEntries extends Map<unknown, unknown> {
  readonly #entries: (readonly [unknown, unknown])[] = [];

  override get size(): number {
    return this.#entries.length;
  }

  override set(key: unknown, value: unknown): this {
    this.#entries.push([key, value]);
    return this;
  }

  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries();
  }

  override *entries(): MapIterator<[unknown, unknown]> {
    for (const [key, value] of this.#entries) yield [key, value];
  }

  override *keys(): MapIterator<unknown> {
    for (const [key] of this.#entries) yield key;
  }

  override *values(): MapIterator<unknown> {
    for (const [, value] of this.#entries) yield value;
  }
}
