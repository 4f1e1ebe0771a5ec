// Finds the word that says what a statement does.

/** What Cassandra skips: white space and three kinds of comments. */
const gap = /\s+|--[^\n\r]*|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//y;
const word = /[a-z]*/iy;

/** The first word of a statement of the query language, in lower case; empty if it begins with none. */
export function firstWordOf(cql: string): string {
  let at = 0;
  for (gap.lastIndex = 0; gap.test(cql); ) at = gap.lastIndex;
  word.lastIndex = at;
  return (word.exec(cql)?.[0] ?? '').toLowerCase();
}
