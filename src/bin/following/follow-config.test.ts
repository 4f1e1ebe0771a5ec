// Which settings a server on the directory of a follower is refused.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { nextName, writeFollowState } from '../../archive/following/follow-state.js';
import { refuseFollower } from './follow-config.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-follow-config-'));
after(() => rmSync(directory, { recursive: true }));

const place = {
  ...{ sequence: 0, sha256: '0'.repeat(64), to: undefined },
  ...{ toMs: 1, pageBytes: 4096, target: 0 },
};
const write = (dataDir: string, role: 'follows' | 'promoted') =>
  writeFollowState(dataDir, {
    archive: 'a',
    generation: '20261129T120000Z-00000000',
    role,
    places: { data: place, ops: place },
  });

it('starts no first server on the directory of a follower, nor on one that becomes it', () => {
  const start = (dataDir: string) => refuseFollower({ dataDir, follow: undefined });
  start(directory);
  const next = join(directory, nextName);
  mkdirSync(next);
  writeFileSync(join(next, 'data.db'), 'unfinished');
  start(directory);
  write(next, 'follows');
  assert.throws(() => start(directory), /follows an archive: start it with --follow/);
  refuseFollower({ dataDir: directory, follow: 'archive' });
  write(directory, 'follows');
  rmSync(next, { recursive: true });
  assert.throws(() => start(directory), /follows an archive: start it with --follow/);
  write(directory, 'promoted');
  start(directory);
});
