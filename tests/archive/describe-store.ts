// What every store of an archive does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ArchiveStore, listAll, StoreFailure } from '../../src/archive/stores/archive-store.js';

/** Tests a store, which is empty. `open` opens it again, as another process does. */
export function describeStore(open: () => ArchiveStore): void {
  describeObjects(open);
  describeLists(open);
}

function describeObjects(open: () => ArchiveStore): void {
  describe('objects', () => {
    const store = open();

    it('are read as they were written, by another user of the archive, too', async () => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
      assert.equal(await store.write('read/a/b-1_2.piece', bytes), 'written');
      assert.deepEqual(await open().read('read/a/b-1_2.piece'), bytes);
      await store.write('read/empty', Buffer.alloc(0));
      assert.equal((await store.read('read/empty'))?.length, 0);
    });

    it('are absent before they are written and after they were removed', async () => {
      assert.equal(await store.read('removed/x'), undefined);
      await store.write('removed/x', Buffer.from('1'));
      await store.remove('removed/x');
      await store.remove('removed/x');
      assert.equal(await store.read('removed/x'), undefined);
      assert.deepEqual(await store.list('removed/', { limit: 10 }), []);
      await store.write('removed/x', Buffer.from('2'));
      assert.equal((await store.read('removed/x'))?.toString(), '2');
    });

    it('are written if they are absent by one of many', async () => {
      const writers = Array.from({ length: 8 }, async (_, at) => {
        const written = await open().write('absent/x', Buffer.from(`${at}`));
        return written === 'refused' ? [] : [at];
      });
      const winners = (await Promise.all(writers)).flat();
      assert.equal(winners.length, 1);
      assert.equal((await store.read('absent/x'))?.toString(), `${winners[0]}`);
    });
  });
}

function describeLists(open: () => ArchiveStore): void {
  describe('lists', () => {
    const store = open();
    const names = ['list/a.json', 'list/a/1.x', 'list/a/2.x', 'list/a/3/4.x', 'list/b-c', 'list/b/z'];

    it('have names in the order of their bytes, from any place on', async () => {
      for (const name of names) await store.write(name, Buffer.from(name));
      assert.deepEqual(await store.list('list/', { limit: 100 }), names);
      for (const [at, name] of names.entries()) {
        assert.deepEqual(await store.list('list/', { after: name, limit: 100 }), names.slice(at + 1));
        assert.deepEqual(await store.list('list/', { after: name, limit: 2 }), names.slice(at + 1, at + 3));
      }
      assert.deepEqual(await store.list('list/a/', { after: 'list/a/2', limit: 100 }), names.slice(2, 4));
      assert.deepEqual(await store.list('list/none/', { limit: 100 }), []);
    });

    it('have folders', async () => {
      assert.deepEqual(await store.folders('list/'), ['list/a/', 'list/b/']);
      assert.deepEqual(await store.folders('list/none/'), []);
    });
  });

  describe('calls', () => {
    it('end when they are cancelled', async () => {
      const store = open();
      const signal = AbortSignal.abort();
      const isFailure = (error: unknown) =>
        error instanceof StoreFailure && error.message.includes(store.title);
      await assert.rejects(store.write('x', Buffer.from('x'), signal), isFailure);
      await assert.rejects(store.read('x', signal), isFailure);
      await assert.rejects(store.list('', { limit: 1 }, signal), isFailure);
    });
  });
}

/** Tests lists of more names than a store returns at a time. */
export function describeLongLists(open: () => ArchiveStore): void {
  describe('long lists', () => {
    const store = open();

    it('are complete with more names than one list has', async () => {
      const many = Array.from({ length: 1_203 }, (_, at) => `many/${String(at).padStart(5, '0')}`);
      for (let at = 0; at < many.length; at += 50)
        await Promise.all(many.slice(at, at + 50).map((name) => store.write(name, Buffer.from('x'))));
      const found: string[] = [];
      for await (const name of listAll(store, 'many/')) found.push(name);
      assert.deepEqual(found, many);
      const folders = many.slice(0, 1_100).map((name) => `${name.replace('many', 'folders')}/x`);
      for (let at = 0; at < folders.length; at += 50)
        await Promise.all(folders.slice(at, at + 50).map((name) => store.write(name, Buffer.from('x'))));
      assert.deepEqual(
        await store.folders('folders/'),
        folders.map((name) => name.slice(0, -1)),
      );
    });
  });
}
