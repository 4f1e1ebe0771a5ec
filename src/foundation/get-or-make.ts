// Returns the value of a key in a map, and makes it first if it is missing.

/** The members that all kinds of maps and caches share. */
interface KeyedValues<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key; a missing one is made from the key and stored. Values are never `undefined`. */
export function getOrMake<Key, Value extends NonNullable<unknown>>(
  values: KeyedValues<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  values.set(key, made);
  return made;
}
