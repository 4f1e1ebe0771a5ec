// Whether the program runs on a version of Node that it supports.

const oldest = 20;

/** What to do if a version such as `18.20.1` is too old; undefined if it is not. */
export function nodeProblem(version: string): string | undefined {
  const major = Number(version.split('.')[0]);
  if (major >= oldest) return undefined;
  return `Node ${version} is too old: Colonnade needs Node ${oldest} or later. Install it from https://nodejs.org`;
}
