// Random writes, deletes, restarts and rebuilds of a text index, compared with the engine in memory.
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { randomSearch, randomText, SearchedTexts } from './searched-texts.js';

/** Lists of a few rows have chunks of their own, and segments are merged after a few writes. */
export const smallSegments = { chunk: 120, sharedList: 12, texts: 8, segments: 3 };

/** Takes `steps` random steps from a new seed, and compares a search after every tenth. */
export async function checkTextModel(
  sizes: Parameters<typeof openEmbedded>[1],
  steps: number,
): Promise<void> {
  const seed = newSeed();
  const random = seededRandom(seed);
  const directory = newDataDirectory();
  const open = () => openEmbedded(directory, { dialect: 'extended', ...sizes });
  let engine = await open();
  try {
    const texts = await SearchedTexts.make(checkedEngine(engine));
    await texts.createIndex();
    for (let step = 0; step < steps; step += 1) {
      const id = random.below(60);
      if (random.oneIn(100)) await texts.removeAll();
      else if (random.oneIn(120)) {
        await engine.close();
        engine = await open();
        await texts.moveTo(checkedEngine(engine));
      } else if (random.oneIn(90)) {
        await texts.dropIndex();
        await texts.put([[id, randomText(random)]]);
        await texts.createIndex();
      } else if (random.chance(0.2)) await texts.remove(id);
      else if (random.chance(0.3) && texts.ids.has(id)) await texts.change(id, randomText(random));
      else await texts.put([id, id + 1, id + 2].map((each) => [each, randomText(random)] as const));
      if (step % 10 === 0)
        await texts.check(randomSearch(random), 1 + random.below(20), `seed ${seed}, step ${step}`);
    }
  } finally {
    await engine.close();
  }
}
