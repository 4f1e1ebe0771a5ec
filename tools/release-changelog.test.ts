// The changelog of a release.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notesOf, releasedChangelog } from './release-changelog.js';

describe('the changelog of a release', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- Searches.\n\n## 0.1.0 – 2026-01-31\n\n- Rows.\n';

  it('has the notes under the version, and nothing under "Unreleased"', () => {
    const text = releasedChangelog(before, '0.2.0', '2026-02-28');
    assert.equal(notesOf(text, '0.2.0'), '- Searches.');
    assert.equal(notesOf(text, '0.1.0'), '- Rows.');
    assert.match(text, /^## Unreleased\n\nNothing yet\.\n\n## 0\.2\.0 – 2026-02-28$/m);
    assert.equal(notesOf(text, '0.2.1'), '');
  });

  it('needs notes', () => {
    const released = releasedChangelog(before, '0.2.0', '2026-02-28');
    assert.throws(() => releasedChangelog(released, '0.3.0', '2026-03-31'), /says nothing/);
    assert.throws(() => releasedChangelog('# Changelog\n', '0.3.0', '2026-03-31'), /has no part/);
  });
});
