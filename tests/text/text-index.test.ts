// A text index follows its rows: random writes, deletes and restarts, compared with a model in memory.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { HostingEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { newDataDirectory, openEmbedded, smallSlices } from '../conformance/open-embedded.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { randomSearch, randomText, SearchedTexts } from './searched-texts.js';

/** Lists of a few rows have chunks of their own, and segments are merged after a few writes. */
const smallSegments = { chunk: 120, sharedList: 12, texts: 8, segments: 3 };

const opened: HostingEngine[] = [];
async function open(directory: string, options: Parameters<typeof openEmbedded>[1] = {}) {
  const engine = await openEmbedded(directory, { dialect: 'extended', ...options });
  opened.push(engine);
  return engine;
}
after(() => Promise.all(opened.map((engine) => engine.close())));

describe('a text index', () => {
  for (const [name, options] of [
    ['', {}],
    [', read in small slices', { slices: smallSlices }],
    [' with small segments', { textSizes: smallSegments }],
    [' with small segments, read in small slices', { textSizes: smallSegments, slices: smallSlices }],
  ] as const) {
    it(`finds what a model finds${name}`, async () => {
      const seed = newSeed();
      const random = seededRandom(seed);
      const directory = newDataDirectory();
      let engine = await open(directory, options);
      const texts = await SearchedTexts.make(checkedEngine(engine));
      await texts.createIndex();
      for (let step = 0; step < 250; step += 1) {
        const id = random.below(60);
        if (random.oneIn(100)) await texts.removeAll();
        else if (random.oneIn(120)) {
          await engine.close();
          engine = await open(directory, options);
          await texts.moveTo(checkedEngine(engine));
        } else if (random.oneIn(90)) {
          await texts.dropIndex();
          await texts.put([[id, randomText(random)]]);
          await texts.createIndex();
        } else if (random.chance(0.2)) await texts.remove(id);
        else if (random.chance(0.3) && texts.rows.has(id)) await texts.change(id, randomText(random));
        else await texts.put([id, id + 1, id + 2].map((each) => [each, randomText(random)] as const));
        if (step % 10 === 0)
          await texts.check(randomSearch(random), 1 + random.below(20), `seed ${seed}, step ${step}`);
      }
    });
  }

  it('is built beside writes', async () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    const texts = await SearchedTexts.make(await open(newDataDirectory()));
    const { table } = texts;
    await texts.put(Array.from({ length: 3_000 }, (_, id) => [id, randomText(random)]));
    let isBuilt = false;
    const building = texts.createIndex().finally(() => {
      isBuilt = true;
    });
    let writes = 0;
    for (; !isBuilt && writes < 5_000; writes += 1) {
      const id = random.below(4_000);
      await texts.refresh();
      try {
        if (random.oneIn(3)) await texts.remove(id);
        else await texts.put([[id, randomText(random)]]);
      } catch (error) {
        if (!(error instanceof Error) || !/changed|gone/.test(error.message)) throw error;
      }
    }
    await building;
    await texts.refresh();
    assert.equal(texts.table.id, table.id);
    for (let count = 0; count < 10; count += 1)
      await texts.check(randomSearch(random), 50, `seed ${seed}, ${writes} writes`);
  });

  it('that was not built to its end is built by the next start', async () => {
    const directory = newDataDirectory();
    const random = seededRandom(7);
    const first = await open(directory);
    const texts = await SearchedTexts.make(first);
    await texts.put(Array.from({ length: 3_000 }, (_, id) => [id, randomText(random)]));
    const creating = texts.createIndex();
    const refused = assert.rejects(creating, /shutting down/);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close();
    await refused;
    const second = await open(directory);
    await texts.moveTo(second);
    while (texts.table.indexes.some(({ isBuilding }) => isBuilding === true)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await texts.refresh();
    }
    if (texts.table.indexes.length === 0) await texts.createIndex(); // it was closed before the index was created
    for (let count = 0; count < 10; count += 1) await texts.check(randomSearch(random), 50, 'built later');
  });

  it('refuses texts that are too long for it', async () => {
    const texts = await SearchedTexts.make(await open(newDataDirectory()));
    const longGrams = '{"tokenizer":{"name":"ngram","args":{"minGramSize":"1","maxGramSize":"50"}}}';
    await texts.put([[1, 'x'.repeat(5_243)]]);
    await assert.rejects(
      texts.createIndex(longGrams),
      /texts of more than 5242 characters, in the rows .*\[1\]/,
    );
    await texts.removeAll();
    await texts.createIndex(longGrams);
    await texts.refresh();
    assert.equal(texts.table.indexes.length, 1);
  });
});
