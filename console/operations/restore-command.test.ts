// The command that restores an archive, and what an archive has of a moment.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpsArchiveRanges } from '../../src/descriptions/operations-replies.js';
import { findState, restoreCommand } from './restore-command.js';

const command = 'npx --no-install colonnade restore --from';
const noStore = { endpoint: null, region: null };

describe('the command of a restore', () => {
  it('has the archive as one word of a command line', () => {
    const texts = ['/srv/archive', "/my disk/it's"].map((archive) => restoreCommand({ archive, ...noStore }));
    assert.deepEqual(texts, [
      `${command} /srv/archive --data-dir ./restored-data`,
      `${command} '/my disk/it'\\''s' --data-dir ./restored-data`,
    ]);
  });

  it('has the moment in UTC, and what an object store needs beside its keys', () => {
    const place = { archive: 's3://b/p', endpoint: 'http://127.0.0.1:9000', region: 'eu-1' };
    assert.equal(
      restoreCommand(place, Date.UTC(2026, 10, 27, 10) / 1000),
      `${command} s3://b/p --at 2026-11-27T10:00:00Z --archive-endpoint http://127.0.0.1:9000 ` +
        '--archive-region eu-1 --data-dir ./restored-data',
    );
  });
});

describe('the state of a moment', () => {
  const generation = (from: number | null, to: number | null): OpsArchiveRanges['generations'][number] => ({
    ...{ generation: 'g', made: 0, made_by: 'x', reason: 'y', problem: null },
    databases: [
      { database: 'data', from, to, copies: 1, last_piece: 1 },
      { database: 'ops', from: 1, to: 900, copies: 1, last_piece: 1 },
    ],
  });
  const ranges = {
    ...{ archive: '/a', lease: null, older: 0 },
    generations: [generation(null, null), generation(300, 400), generation(100, 200)],
  };

  it('is that of the newest generation that had begun', () => {
    const states = [350, 500, 250, 100].map((atS) => findState(ranges, atS, 1_000));
    assert.deepEqual(
      states,
      [350, 400, 200, 100].map((stateS) => ({ kind: 'state', stateS })),
    );
  });

  it('is not there before the first one, or in the future', () => {
    assert.deepEqual(findState(ranges, 99, 1_000), { kind: 'tooEarly', firstS: 100 });
    assert.deepEqual(findState({ ...ranges, older: 1 }, 99, 1_000), { kind: 'unknown' });
    assert.deepEqual(findState({ ...ranges, generations: [] }, 99, 1_000), {
      ...{ kind: 'tooEarly', firstS: undefined },
    });
    assert.deepEqual(findState(ranges, 1_001, 1_000), { kind: 'future' });
  });
});
