// A server that is lost right after a restore or a promotion: what it had shipped is restored, whether the generation
// has a copy of its own or not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { move } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, type RunningServer } from '../acceptance/start-server.js';
import {
  type ArchivePlace,
  kill,
  promoteAfterLoss,
  restoreFrom,
  startArchived,
  startFollowing,
  untilCaughtUp,
  untilRestorable,
} from './archived-server.js';
import { must, until } from './follower-steps.js';

interface ListedGenerations {
  readonly generations: readonly {
    readonly generation: string;
    readonly reason: string;
    readonly databases: readonly { readonly continues: { readonly generation: string } | null }[];
  }[];
}

async function generationsOf({ archive }: ArchivePlace): Promise<ListedGenerations['generations']> {
  const { stdout } = await move(['archives', archive, '--json']);
  const { generations }: ListedGenerations = JSON.parse(stdout);
  return generations;
}

async function insert({ url }: RunningServer, id: number): Promise<void> {
  await must(url, '/k/t', { insertOne: { document: { id } } });
}

async function idsOf({ url }: RunningServer): Promise<readonly unknown[]> {
  const { data } = await must(url, '/k/t', { find: { filter: {} } });
  return (data?.documents ?? []).map(({ id }) => Number(id)).toSorted((one, other) => one - other);
}

describe('a server that takes the place of a lost one', () => {
  const directory = makeTemporaryDirectory();
  const running: RunningServer[] = [];
  after(async () => {
    for (const server of running) await kill(server);
  });

  /** A lost first server, whose archive has one row. */
  async function loseFirst(name: string, isFollowed: boolean) {
    // Every acknowledged write is in the archive, so that no test waits for it.
    const serverArgs = ['--archive-acknowledge', 'yes', '--archive-takeover', 'yes', '--archive-lease', '3'];
    const place: ArchivePlace = { archive: join(directory, name), args: [], serverArgs };
    const first = await startArchived(place, join(directory, `${name}-first`));
    running.push(first);
    await untilRestorable(place);
    await must(first.url, '', { createKeyspace: { name: 'k' } });
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    await must(first.url, '/k', { createTable: { name: 't', definition } });
    const follower = isFollowed ? await startFollowing(place) : undefined;
    if (follower !== undefined) running.push(follower);
    await insert(first, 1);
    await untilCaughtUp(first);
    await kill(first);
    return { place, follower };
  }

  async function startRestored(place: ArchivePlace): Promise<RunningServer> {
    const { dataDir } = await restoreFrom(place);
    const server = await startArchived(place, dataDir);
    running.push(server);
    return server;
  }

  /** Expects that the newest generation continues the one before, and that both databases do. */
  async function expectContinued(place: ArchivePlace, reason: RegExp): Promise<void> {
    const [before, newest] = (await generationsOf(place)).slice(-2);
    assert.match(newest?.reason ?? '', reason);
    assert.deepEqual(
      newest?.databases.map(({ continues }) => continues?.generation),
      [before?.generation, before?.generation],
    );
  }

  it('is restored with what it acknowledged since it was restored, again and again', async () => {
    const { place } = await loseFirst('restored', false);
    for (const id of [2, 3, 4]) {
      const server = await startRestored(place);
      await insert(server, id);
      await kill(server);
      await expectContinued(place, /^the data directory was restored from the generation /);
    }
    const last = await startRestored(place);
    assert.deepEqual(await idsOf(last), [1, 2, 3, 4]);
    assert.doesNotMatch(last.stderr(), /"level":"error"/);
    await move(['check', place.archive]);
  });

  it('is restored with what it acknowledged since it was promoted', async () => {
    const { place, follower } = await loseFirst('promoted', true);
    assert.ok(follower !== undefined);
    await promoteAfterLoss(follower);
    await insert(follower, 2);
    await kill(follower);
    await expectContinued(place, /^the server followed the generation .*, and was promoted$/);
    const last = await startRestored(place);
    assert.deepEqual(await idsOf(last), [1, 2]);
    await move(['check', place.archive]);
  });

  it('is followed by others, which find what it continues', async () => {
    const { place, follower } = await loseFirst('followed', true);
    assert.ok(follower !== undefined);
    const other = await startFollowing(place);
    running.push(other);
    await promoteAfterLoss(follower);
    await insert(follower, 2);
    await until(async () => (await idsOf(other).catch(() => [])).length === 2);
    await kill(follower);
    await promoteAfterLoss(other);
    await insert(other, 3);
    await kill(other);
    const last = await startRestored(place);
    assert.deepEqual(await idsOf(last), [1, 2, 3]);
  });
});
