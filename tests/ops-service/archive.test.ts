// The routes of the archive of a server, and of a server that follows one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ShownRanges } from '../../src/ops-service/clusters/data-service-link.js';
import { OpsError } from '../../src/ops-service/errors/ops-error.js';
import { openOps } from './open-ops.js';

const figures = {
  ...{ archive: 's3://bucket/prefix', generation: 'g1', behindMs: 1_500, waitingBytes: 4_096 },
  ...{ problem: undefined, refusal: undefined, failure: 'refused', term: 3, leaseProblem: undefined },
  copyAtMs: 1_700_000_000_500,
};

const read: ShownRanges = {
  archive: 's3://bucket/prefix',
  lease: { term: 3, state: 'held', host: 'a', url: 'http://127.0.0.1:8181', stopsWrites: true },
  generations: [
    {
      generation: 'g2',
      description: { madeBy: 'colonnade 1', madeMs: 2_000, reason: 'a test' },
      ranges: [{ database: 'data', fromMs: 3_000, toMs: 4_500, copies: 2, lastPiece: 9 }],
      problem: undefined,
    },
    { generation: 'g1', description: undefined, ranges: [], problem: 'generation.json is missing' },
  ],
  olderCount: 4,
};

const noArchive = { writes: null, follows: null, endpoint: null, region: null, days: 7 };

describe('the archive of a server', () => {
  const store = 'http://127.0.0.1:9000';
  const keys = ['--archive-access-key', 'hidden', '--archive-secret-key', 'hidden'];
  const args = ['--archive', 's3://bucket/prefix', '--archive-endpoint', store, ...keys];
  let reads = 0;
  let isFailing = false;
  const readRanges = async () => {
    reads += 1;
    if (isFailing) throw new OpsError('Unavailable', 'the archive cannot be read');
    return read;
  };
  const ops = openOps({ args, answers: { readRanges } });

  it('is shown without its keys, also before it has been looked at', async () => {
    const { body, text } = await ops.ask({ path: '/archive' });
    const unknown = { generation: null, behind: null, waiting: null, copied: null };
    assert.deepEqual(body, {
      ...noArchive,
      endpoint: store,
      writes: {
        ...{ archive: 's3://bucket/prefix', ...unknown, problem: null, failure: null, refusal: null },
        lease: { term: 0, problem: null },
      },
    });
    assert.doesNotMatch(text, /hidden/);
  });

  it('is shown as it was a moment ago', async () => {
    ops.parts.noteArchive(figures);
    const { body } = await ops.ask({ path: '/archive' });
    const { writes } = body as { readonly writes: object };
    assert.deepEqual(writes, {
      ...{ archive: 's3://bucket/prefix', generation: 'g1', behind: 1.5, waiting: 4_096 },
      ...{ copied: 1_700_000_000.5, problem: null, failure: 'refused', refusal: null },
      lease: { term: 3, problem: null },
    });
  });

  it('has moments to restore, which are read at most once in five seconds', async () => {
    const { body } = await ops.ask({ path: '/archive/ranges' });
    assert.deepEqual(body, {
      archive: 's3://bucket/prefix',
      lease: { term: 3, state: 'held', host: 'a', url: 'http://127.0.0.1:8181', takeover: true },
      generations: [
        {
          ...{ generation: 'g2', made: 2, made_by: 'colonnade 1', reason: 'a test', problem: null },
          databases: [{ database: 'data', from: 3, to: 4.5, copies: 2, last_piece: 9 }],
        },
        {
          ...{ generation: 'g1', made: null, made_by: null, reason: null },
          ...{ problem: 'generation.json is missing', databases: [] },
        },
      ],
      older: 4,
    });
    await ops.ask({ path: '/archive/ranges' });
    assert.equal(reads, 1);
    ops.clock.advance(5_000);
    isFailing = true;
    for (const count of [2, 2, 3]) {
      const { status } = await ops.ask({ path: '/archive/ranges' });
      assert.deepEqual([status, reads], [503, count], 'a failure is given again');
      if (count === 2) ops.clock.advance(2_500);
    }
  });
});

describe('the archive that a server follows', () => {
  const ops = openOps({ args: ['--follow', '/srv/archive'] });

  it('is shown with the lag of the server', async () => {
    const { body: before } = await ops.ask({ path: '/archive' });
    const none = { generation: null, lag: null, shown: null, first: null, problem: null, failure: null };
    const follows = { archive: '/srv/archive', ...none, first_is_silent: false, is_promoting: false };
    assert.deepEqual(before, { ...noArchive, follows });
    ops.parts.noteFollow({
      ...{ archive: '/srv/archive', generation: 'g1', lagMs: 250, toMs: 9_000, problem: undefined },
      ...{ first: 'a server on a', isFirstSilent: true, failure: undefined, isPromoting: true },
    });
    const { body } = await ops.ask({ path: '/archive' });
    assert.deepEqual(body, {
      ...noArchive,
      follows: {
        ...{ ...follows, generation: 'g1', lag: 0.25, shown: 9, first: 'a server on a' },
        ...{ first_is_silent: true, is_promoting: true },
      },
    });
  });
});

describe('a server without an archive', () => {
  const readRanges = async () => {
    throw new OpsError('NotFound', 'this server has no archive: see --archive');
  };
  const ops = openOps({ answers: { readRanges } });

  it('says so', async () => {
    assert.deepEqual((await ops.ask({ path: '/archive' })).body, noArchive);
    assert.equal((await ops.ask({ path: '/archive/ranges' })).status, 404);
  });
});
