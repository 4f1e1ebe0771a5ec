// Finds a name that is given twice, in lists that can have thousands of names.

/** The first name that is equal to one before it; undefined if all are different. */
export function firstRepeated(names: Iterable<string>): string | undefined {
  const before = new Set<string>();
  for (const name of names) {
    if (before.has(name)) return name;
    before.add(name);
  }
  return undefined;
}
