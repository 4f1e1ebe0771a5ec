// An index on members is built in steps beside writes, and by the next start where it was not finished.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { HostingEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { createTable, deleteRows, insert, makeKeyspace, rowsByPages, update } from './engine-steps.js';
import { chosenPlan, presentTable } from './index-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

const opened: HostingEngine[] = [];
async function open(directory: string): Promise<HostingEngine> {
  const engine = await openEmbedded(directory, { dialect: 'extended' });
  opened.push(engine);
  return engine;
}
after(() => Promise.all(opened.map((engine) => engine.close())));

const words = ['a', 'b', 'c', 'd', 'e'];
const rowCount = 4_000;
type Model = Map<number, ReadonlySet<string>>;

/** A table of sets, with a model of it. */
async function makeRows(
  engine: Engine,
  random: SeededRandom,
): Promise<{ readonly table: Table; readonly model: Model }> {
  await makeKeyspace(engine);
  const table = await createTable(engine, { columns: { id: 'int', tags: 'set<text>' } });
  const model: Model = new Map(Array.from({ length: rowCount }, (_, id) => [id, randomTags(random)]));
  await insert(engine, table, ...[...model].map(([id, tags]) => rowOf(id, tags)));
  return { table, model };
}

function randomTags(random: SeededRandom): ReadonlySet<string> {
  return new Set(Array.from({ length: random.below(4) }, () => random.pick(words)));
}

function rowOf(id: number, tags: ReadonlySet<string>): string {
  return JSON.stringify({ id, tags: [...tags] });
}

async function createIndex(engine: Engine, table: Table): Promise<void> {
  const column = table.columnsByName.get('tags');
  assert.ok(column);
  const index = { kind: 'container', name: 'by_tag', column, part: 'elements', fold: null } as const;
  await engine.changeSchema({ kind: 'createIndex', table, index });
}

/** Changes a row of any age, or makes a new one. The table may change meanwhile. */
async function changeSome(engine: Engine, before: Table, model: Model, random: SeededRandom): Promise<void> {
  const id = random.below(rowCount + 500);
  const tags = randomTags(random);
  const isRemoved = random.oneIn(4);
  const isPushed = random.oneIn(3) && model.has(id);
  for (;;) {
    const table = await presentTable(engine, before);
    try {
      if (isRemoved) await deleteRows(engine, table, `{"id":${id}}`);
      else if (isPushed)
        await update(
          engine,
          table,
          `{"id":${id}}`,
          `{"$push":{"tags":{"$each":${JSON.stringify([...tags])}}}}`,
        );
      else await insert(engine, table, rowOf(id, tags));
      break;
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'schemaChanged') throw error;
    }
  }
  if (isRemoved) model.delete(id);
  else model.set(id, isPushed ? new Set([...(model.get(id) ?? []), ...tags]) : tags);
}

/** The index has what the rows have: it finds the rows of each word, and a repair has nothing to do. */
async function check(engine: Engine, before: Table, model: Model, context: string): Promise<void> {
  const table = await presentTable(engine, before);
  assert.deepEqual(
    table.indexes.map(({ isBuilding }) => isBuilding),
    [undefined],
  );
  const id = table.columnsByName.get('id');
  assert.ok(id);
  for (const word of words) {
    const plan = chosenPlan(table, `{"tags":{"$in":["${word}"]}}`, { columns: [id], limit: 10_000 });
    const ids = (await rowsByPages(engine, plan)).map((row) => Number(JSON.parse(row).id));
    const expected = [...model].filter(([, tags]) => tags.has(word)).map(([each]) => each);
    assert.deepEqual(
      ids,
      expected.sort((left, right) => left - right),
      context,
    );
  }
  const request = { action: 'repair', keyspace: table.keyspace, tables: [table.name] } as const;
  const report = await engine.maintain?.(request, new AbortController().signal);
  assert.equal(report?.detail, `1 tables with ${model.size} rows checked`, context);
}

describe('an index on members', () => {
  it('is built beside writes, and is not used before', async () => {
    const seed = newSeed();
    const random = seededRandom(seed);
    const engine = await open(newDataDirectory());
    const { table, model } = await makeRows(engine, random);
    let isBuilt = false;
    const building = createIndex(engine, table).finally(() => {
      isBuilt = true;
    });
    let writes = 0;
    for (; !isBuilt; writes += 1) {
      await changeSome(engine, table, model, random);
      if (writes % 10 !== 0) continue;
      const present = await presentTable(engine, table);
      const [word] = words;
      const plan = chosenPlan(present, `{"tags":{"$in":["${word}"]}}`, { limit: 10_000 });
      const found = await rowsByPages(engine, plan).catch((error: unknown) => {
        if (error instanceof EngineError && error.kind === 'schemaChanged') return undefined;
        throw error;
      });
      const expected = [...model.values()].filter((tags) => tags.has('a')).length;
      if (found !== undefined) assert.equal(found.length, expected, `seed ${seed}`);
    }
    await building;
    await check(engine, table, model, `seed ${seed}, ${writes} writes`);
  });

  it('that was not built to its end is built by the next start', async () => {
    const directory = newDataDirectory();
    const random = seededRandom(7);
    const first = await open(directory);
    const { table, model } = await makeRows(first, random);
    const refused = assert.rejects(createIndex(first, table), /shutting down/);
    while ((await presentTable(first, table)).indexes.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    await first.close();
    await refused;
    const second = await open(directory);
    for (let count = 0; count < 20; count += 1) await changeSome(second, table, model, random);
    while ((await presentTable(second, table)).indexes.some(({ isBuilding }) => isBuilding === true))
      await changeSome(second, table, model, random);
    await check(second, table, model, 'built later');
  });
});
