// The changelog of a release: the part `Unreleased` gets the version and the day.

const heading = '## Unreleased\n';
const empty = 'Nothing yet.';

/**
 * The changelog in which the notes under `Unreleased` are those of a version.
 * @param day such as 2026-01-31
 * @throws Error if nothing was written under `Unreleased`
 */
export function releasedChangelog(text: string, version: string, day: string): string {
  const [before = '', rest] = text.split(heading);
  if (rest === undefined) throw new Error('CHANGELOG.md has no part "Unreleased"');
  const [notes = ''] = rest.split(/^## /m);
  if (notes.trim() === '' || notes.trim() === empty)
    throw new Error('CHANGELOG.md says nothing under "Unreleased": describe what users of the release get');
  return `${before}${heading}\n${empty}\n\n## ${version} – ${day}\n${rest}`;
}

/** The notes of one version without its heading; empty if the changelog does not have it. */
export function notesOf(text: string, version: string): string {
  const [, section = ''] = text.split(new RegExp(`^## ${version.replaceAll('.', '\\.')} .*\\n`, 'm'));
  return (section.split(/^## /m)[0] ?? '').trim();
}
