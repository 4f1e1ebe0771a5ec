// Models that are loaded once, and those that could not be loaded.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LoadedModels } from '../../src/data-service/embedding/local/loaded-models.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { writeStaticModel } from './model-files.js';

const root = makeTemporaryDirectory();
writeStaticModel(root, 'words');
const place = { root, name: 'words' };

/** Loads that fail until they are said to be possible, and the time. */
function arrange() {
  const state = { nowMs: 0, isPossible: false, loads: 0 };
  const models = new LoadedModels<string>({ monotonicMs: () => state.nowMs });
  const get = () =>
    models.get(place, () => {
      state.loads += 1;
      if (!state.isPossible) throw new Error(`load ${state.loads}`);
      return 'the model';
    });
  return { state, get };
}

describe('loaded models', () => {
  it('are loaded once', async () => {
    const { state, get } = arrange();
    state.isPossible = true;
    assert.deepEqual([await get(), await get(), state.loads], ['the model', 'the model', 1]);
  });

  it('that could not be loaded are refused without a load while their files are the same', async () => {
    const { get } = arrange();
    for (let text = 0; text < 3; text += 1) await assert.rejects(get(), /load 1$/);
    writeFileSync(join(root, 'words', 'config.json'), '{ }');
    await assert.rejects(get(), /load 2$/);
    await assert.rejects(get(), /load 2$/);
  });

  it('that could not be loaded are loaded again after a minute', async () => {
    const { state, get } = arrange();
    await assert.rejects(get(), /load 1$/);
    state.isPossible = true;
    state.nowMs = 59_999;
    await assert.rejects(get(), /load 1$/);
    state.nowMs = 60_000;
    assert.equal(await get(), 'the model');
  });
});
