// A few rounds of `npm run restores`: servers that lose their data directory are restored from their archive.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { playOnStore } from './play-on-store.js';
import { playRounds, type RoundsOptions } from './play-rounds.js';
import { gatewayProgram } from './s3-gateway.js';

/** A busy machine takes longer than a second to send a piece. */
const withinMs = 15_000;

describe('a server that is restored from its archive', () => {
  const seed = newSeed();
  const options: Pick<RoundsOptions, 'rounds' | 'moments' | 'withinMs' | 'random' | 'report'> = {
    ...{ rounds: 4, moments: 2, withinMs, random: seededRandom(seed), report: () => {} },
  };

  it('has what was acknowledged, from a directory', async () => {
    const place = { archive: makeTemporaryDirectory(), args: [] };
    const { problems } = await playRounds({ ...options, place, proxy: undefined });
    assert.deepEqual(problems, [], `seed ${seed}`);
  });

  const skip = gatewayProgram === undefined && 'there is no object store: S3_GATEWAY is not set';
  it('has what was acknowledged, from an object store that fails', { skip }, async () => {
    const { problems } = await playOnStore(gatewayProgram ?? '', options);
    assert.deepEqual(problems, [], `seed ${seed}`);
  });
});
