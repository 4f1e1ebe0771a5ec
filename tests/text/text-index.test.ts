// A text index follows its rows: random writes, deletes and restarts, compared with a model in memory.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { HostingEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { newDataDirectory, openEmbedded, smallSlices } from '../conformance/open-embedded.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { checkTextModel, smallSegments } from './check-text-model.js';
import { randomSearch, randomText, SearchedTexts } from './searched-texts.js';

const opened: HostingEngine[] = [];
async function open(directory: string, options: Parameters<typeof openEmbedded>[1] = {}) {
  const engine = await openEmbedded(directory, { dialect: 'extended', ...options });
  opened.push(engine);
  return engine;
}
after(() => Promise.all(opened.map((engine) => engine.close())));

describe('a text index', () => {
  it('finds what a model finds', () => checkTextModel({}, 120));

  it('finds what a model finds with small segments, read in small slices', () =>
    checkTextModel({ textSizes: smallSegments, slices: smallSlices }, 60));

  it('is built beside writes, while segments are merged', async () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    const engine = await open(newDataDirectory(), { textSizes: smallSegments });
    const texts = await SearchedTexts.make(engine);
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

  it('finds few rows, also if one of them is large', async () => {
    const texts = await SearchedTexts.make(await open(newDataDirectory()));
    await texts.createIndex();
    await texts.refresh();
    await texts.put([
      [1, 'birch'],
      [2, `birch ${'leaf '.repeat(120_000)}`],
    ]);
    for (const search of ['birch', 'leaf', 'birch leaf']) await texts.check(search, 10, 'few rows');
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
