// A few rounds of `npm run restores`: servers that lose their data directory are restored from their archive, or their
// follower becomes the first server; of two servers on one archive, one at a time accepts writes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { playOnStore, playPartitionsOnStore } from './play-on-store.js';
import { playPartitions } from './play-partitions.js';
import { playRounds } from './play-rounds.js';
import { gatewayProgram } from './s3-gateway.js';

/** A busy machine takes longer than a second to send a piece. */
const withinMs = 15_000;
const takeover = ['--archive-takeover', 'yes', '--archive-lease', '3'];
const acknowledged = ['--archive-acknowledge', 'yes'];
const seed = newSeed();
const options = {
  ...{ rounds: 4, moments: 2, withinMs, isAcknowledgedByArchive: false },
  ...{ random: seededRandom(seed), report: () => {} },
};
const newPlace = (serverArgs: readonly string[]) => ({
  ...{ archive: makeTemporaryDirectory(), args: [], serverArgs },
});
const skip = gatewayProgram === undefined && 'there is no object store: S3_GATEWAY is not set';

describe('a server that is restored from its archive, or promoted', () => {
  it('has what was acknowledged, from a directory', async () => {
    const { problems } = await playRounds({
      ...options,
      ways: 'mixed',
      place: newPlace([]),
      proxy: undefined,
    });
    assert.deepEqual(problems, [], `seed ${seed}`);
  });

  it('has what was acknowledged, from an object store that fails', { skip }, async () => {
    const { problems } = await playOnStore(gatewayProgram ?? '', { ...options, ways: 'mixed' });
    assert.deepEqual(problems, [], `seed ${seed}`);
  });

  it('has every acknowledged change if the archive acknowledges them', { skip }, async () => {
    const acknowledging = { ...options, ways: 'mixed', isAcknowledgedByArchive: true } as const;
    const serverArgs = [...takeover, ...acknowledged];
    const { problems } = await playOnStore(gatewayProgram ?? '', { ...acknowledging, serverArgs });
    assert.deepEqual(problems, [], `seed ${seed}`);
  });
});

describe('of two servers on one archive', () => {
  it('one at a time accepts writes, also after a pause and with wrong clocks', async () => {
    const machine = { place: newPlace([...takeover, ...acknowledged]), proxy: undefined };
    const rounds = { ...options, rounds: 3, isAcknowledgedByArchive: true };
    const { problems } = await playPartitions({ ...rounds, machines: [machine, machine] });
    assert.deepEqual(problems, [], `seed ${seed}`);
  });

  it('one at a time accepts writes, also if one of them cannot reach the store', { skip }, async () => {
    const rounds = { ...options, rounds: 3, serverArgs: takeover };
    const { problems } = await playPartitionsOnStore(gatewayProgram ?? '', rounds);
    assert.deepEqual(problems, [], `seed ${seed}`);
  });
});
