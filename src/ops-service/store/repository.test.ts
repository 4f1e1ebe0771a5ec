// The repository: its entities, their order, and what is on disk.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { OpsError } from '../errors/ops-error.js';
import { type EntityFormat, Repository } from './repository.js';
import { Store } from './store.js';

interface Plant {
  readonly id: string;
  readonly height: number;
}

const format: EntityFormat<Plant> = {
  table: 'plants',
  columns: { owner: 'garden', body: 'body' },
  most: 2,
  tooMany: 'two are enough',
  read: (id, _, body) => (typeof body === 'number' ? { id, height: body } : undefined),
  bodyOf: ({ height }) => height,
  missing: (owner, id) => new OpsError('NotFound', `${owner} has no ${id}`),
};

let store: Store;
let plants: Repository<Plant>;

beforeEach(() => {
  const database = openDatabase({ path: ':memory:' });
  database.exec('CREATE TABLE plants (number INTEGER PRIMARY KEY, id TEXT, garden TEXT, body TEXT)');
  store = new Store(database, createLogger('silent'));
  plants = new Repository(store, format);
});

/** Expects the plants of a garden, now and after a restart. */
function expectStored(owner: string, ...expected: readonly Plant[]): void {
  assert.deepEqual(plants.list(owner), expected);
  assert.deepEqual(new Repository(store, format).list(owner), expected, 'on disk');
}

describe('a repository', () => {
  it('keeps entities by owner, in the order of creation', () => {
    plants.create('a', { id: '2', height: 1 });
    plants.create('b', { id: '3', height: 1 });
    plants.create('a', { id: '1', height: 1 });
    plants.replace('a', { id: '2', height: 5 });
    expectStored('a', { id: '2', height: 5 }, { id: '1', height: 1 });
    expectStored('b', { id: '3', height: 1 });
    plants.delete('a', '2');
    plants.record('a', { id: '1', height: 7 });
    expectStored('a', { id: '1', height: 7 });
    plants.recordDeletion('a', '1');
    expectStored('a');
  });

  it('finds an entity by its id, and by its id and owner', () => {
    const oak = { id: '1', height: 30 };
    plants.create('a', oak);
    assert.equal(plants.find('1'), oak);
    assert.equal(plants.get('a', '1'), oak);
    assert.equal(plants.findOf('b', '1'), undefined);
    assert.throws(() => plants.get('b', '1'), /b has no 1/);
  });

  it('refuses one too many of one owner', () => {
    for (const id of ['1', '2']) plants.create('a', { id, height: 1 });
    assert.throws(() => plants.create('a', { id: '3', height: 1 }), /two are enough/);
    plants.create('b', { id: '3', height: 1 });
    expectStored('b', { id: '3', height: 1 });
  });

  it('forgets what a removed cluster owned', () => {
    plants.create('a', { id: '1', height: 1 });
    plants.create('b', { id: '2', height: 1 });
    assert.deepEqual(plants.forgetCluster('a'), [{ id: '1', height: 1 }]);
    expectStored('a');
    expectStored('b', { id: '2', height: 1 });
  });

  it('leaves what it cannot read on disk', () => {
    store.change((database) =>
      database.exec(`INSERT INTO plants (id, garden, body) VALUES ('9', 'a', '"tall"')`),
    );
    expectStored('a');
    const count = store.read((database) => database.statement('SELECT count(*) AS n FROM plants').get());
    assert.equal(count?.['n'], 1);
  });
});
