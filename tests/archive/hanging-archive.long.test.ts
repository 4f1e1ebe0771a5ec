// A directory of an archive that does not answer: the calls of the system hang.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { insertAll, move, send } from '../acceptance/between-servers.js';
import { waitFor } from '../acceptance/ops-client.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { restoreFrom } from './archived-server.js';
import { hang, leaseSeconds, metricOf, startHanging } from './hanging-archive.js';

const people = '/default_keyspace/people';

describe('a server whose archive does not answer', () => {
  const root = makeTemporaryDirectory();
  const place = (name: string) => join(root, name);

  it('accepts writes after the end of its lease, counts them, and ships them when it answers', async () => {
    const archive = place('alone');
    const server = await startHanging(archive, place('alone-data'));
    await send(server.url, '/default_keyspace', '{"createCollection":{"name":"people"}}');
    await waitFor('a generation with data', async () =>
      (await move(['archives', archive])).stdout.includes('data: '),
    );
    const answer = hang(archive);
    const hungMs = Date.now();
    let written = 0;
    const write = async () => {
      await insertAll(server.url, people, [`{"_id":${written}}`]);
      written += 1;
    };
    await waitFor('writes for longer than the lease', async () => {
      await write();
      return Date.now() - hungMs > 1_500 * leaseSeconds;
    });
    await waitFor('a log entry that the archive does not answer', async () =>
      server.stderr().includes(`the archive ${archive} does not answer`),
    );
    await waitFor(
      'a lag of the archive',
      async () => (await metricOf(server, 'colonnade_archive_behind_seconds')) > 0,
    );
    const waiting = await metricOf(server, 'colonnade_archive_waiting_bytes');
    await waitFor('bytes that wait', async () => {
      await write();
      return (await metricOf(server, 'colonnade_archive_waiting_bytes')) > waiting;
    });
    const problem = /the archive \S+ is \d+ s behind: the archive \S+ does not answer/;
    await waitFor('the problem in the health reply', async () =>
      problem.test(await (await fetch(`${server.url}/health/ready`)).text()),
    );
    const events = `${server.opsUrl}/local/events`;
    await waitFor('the problem in the events', async () => problem.test(await (await fetch(events)).text()));
    answer();
    await waitFor(
      'an archive that is not behind',
      async () => (await metricOf(server, 'colonnade_archive_behind_seconds')) === 0,
    );
    const end = await server.stop();
    assert.deepEqual(end, { code: 0, signal: null }, server.stderr());
    assert.match((await move(['check', archive])).stdout, /no damage found/);
    const restored = await restoreFrom({ archive, args: [] });
    await withServer({ dataDir: restored.dataDir }, async ({ url }) => {
      const reply = await send(url, people, '{"countDocuments":{}}');
      assert.equal(reply, `{"status":{"count":${written}}}`);
    });
  });

  it('refuses writes with --archive-takeover yes, says why, and stops cleanly while it hangs', async () => {
    const archive = place('pair');
    const server = await startHanging(archive, place('pair-data'), ['--archive-takeover', 'yes']);
    await send(server.url, '/default_keyspace', '{"createCollection":{"name":"people"}}');
    const answer = hang(archive);
    await waitFor('a refused write', async () => {
      const reply = await fetch(`${server.url}/v1${people}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"insertOne":{"document":{}}}',
      });
      return (await reply.text()).includes(`the archive ${archive} does not answer`);
    });
    await waitFor('the problem in the health reply', async () =>
      (await (await fetch(`${server.url}/health/ready`)).text()).includes(`${archive} does not answer`),
    );
    const end = await server.stop();
    assert.deepEqual(end, { code: null, signal: 'SIGTERM' }, server.stderr());
    assert.match(server.stderr(), /"stopped"/);
    answer();
    const again = await startHanging(archive, place('pair-data'), ['--archive-takeover', 'yes']);
    await insertAll(again.url, people, ['{"_id":1}']);
    await again.stop();
  });
});
