// The limits of documents (docs/limits.md).

export const documentLimits = {
  characters: 4_000_000,
  depth: 16,
  pathLength: 1_000,
  numberLength: 100,
  elements: 1_000,
  members: 1_000,
  allMembers: 2_000,
  stringBytes: 8_000,
  entries: 50_000,
  lexicalBytes: 8_192,
} as const;
