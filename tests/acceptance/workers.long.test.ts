// Several processes on one port whose workers fail or get signals, checked on real processes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCertificate } from '../make-certificate.js';
import { waitFor } from './ops-client.js';
import { allGone, ask, askUntil, type Reply, repliesCounted, withWorkers } from './serve-by-workers.js';
import { makeTemporaryDirectory } from './start-server.js';

describe('colonnade serve --workers 2', () => {
  it('is not ready while the cluster cannot be reached, whichever process is asked', async () => {
    await withWorkers([], async ({ url }) => {
      await waitFor('the problem in both', async () => {
        const replies = await Promise.all(Array.from({ length: 20 }, () => ask(`${url}/health/ready`)));
        return replies.every(({ status, body }) => status === 503 && body.includes('"not ready"'));
      });
      const { body } = await ask(`${url}/v1`, '{"findKeyspaces":{}}');
      assert.match(body, /FAILED_TO_CONNECT_TO_DATABASE/);
    });
  });

  it('replaces a killed worker, and the sums do not fall', async () => {
    await withWorkers([], async (server) => {
      const { pids } = await askUntil(server.url, 2);
      const before = await repliesCounted(server);
      const [killed = 0] = pids;
      process.kill(killed, 'SIGKILL');
      await waitFor('the report', async () =>
        server.stderr().includes('a worker ended; another one is started'),
      );
      assert.match(
        server.stderr(),
        new RegExp(`"level":"error".*"workerPid":${killed},.*"signal":"SIGKILL"`),
      );
      const later = await askUntil(server.url, 2, (_, pid) => pid !== killed);
      assert.equal(later.pids.filter((pid) => pids.includes(pid)).length, 1);
      assert.ok((await repliesCounted(server)) >= before);
    });
  });

  it('replaces a worker that hangs', async () => {
    await withWorkers([], async (server) => {
      const { pids } = await askUntil(server.url, 2);
      const [hanging = 0] = pids;
      process.kill(hanging, 'SIGSTOP');
      const report = /"level":"error".*"workerPid":(\d+),.*"a worker does not answer; it is ended"/;
      await waitFor('the report', async () => report.exec(server.stderr())?.[1] === String(hanging));
      const later = await askUntil(server.url, 2, (_, pid) => pid !== hanging);
      assert.equal(later.pids.filter((pid) => pids.includes(pid)).length, 1);
    });
  });

  it('ignores signals for a worker alone, as a terminal or a supervisor sends them to all', async () => {
    await withWorkers([], async ({ url }) => {
      const { pids } = await askUntil(url, 2);
      for (const pid of pids) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.kill(pid, signal);
      const later = await askUntil(url, 2);
      assert.deepEqual(later.pids.sort(), pids.sort());
    });
  });

  it('stops all of them on SIGTERM, behind the time for draining', async () => {
    await withWorkers(['--drain-seconds', '2'], async (server) => {
      const { pids } = await askUntil(server.url, 2);
      server.signal('SIGTERM');
      while (!server.stderr().includes('"stopping"')) await sleep(5);
      await waitFor('both to announce it', async () => {
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => ask(`${server.url}/health/ready`)),
        );
        return replies.every(
          ({ status, headers, body }) =>
            status === 503 && headers.connection === 'close' && body.includes('"stopping"'),
        );
      });
      assert.deepEqual(await server.ended, { code: 0, signal: null });
      await allGone(pids);
    });
  });

  it('ends all of them at once by a second signal', async () => {
    await withWorkers(['--drain-seconds', '300'], async (server) => {
      const { pids } = await askUntil(server.url, 2);
      server.signal('SIGTERM');
      while (!server.stderr().includes('"stopping"')) await sleep(5);
      server.signal('SIGINT');
      assert.deepEqual(await server.ended, { code: 1, signal: null });
      await allGone(pids);
    });
  });

  it('leaves no worker and no used port behind kill -9', async () => {
    const dataDir = makeTemporaryDirectory();
    let port = '';
    await withWorkers(
      [],
      async (server) => {
        const { pids } = await askUntil(server.url, 2);
        ({ port } = new URL(server.url));
        server.signal('SIGKILL');
        await server.ended;
        await allGone(pids);
      },
      dataDir,
    );
    await withWorkers([`--port=${port}`], async ({ url }) => void (await askUntil(url, 2)), dataDir);
  });

  it('renews the certificate of all of them on SIGHUP', async () => {
    const directory = makeTemporaryDirectory();
    const [cert, key] = [join(directory, 'c.pem'), join(directory, 'k.pem')];
    const write = (name: string) => {
      const made = makeCertificate(name);
      writeFileSync(cert, made.cert);
      writeFileSync(key, made.key);
    };
    write('first');
    await withWorkers(['--tls-cert', cert, '--tls-key', key], async (server) => {
      const of = (name: string) => (reply: Reply) => reply.certificate === name;
      const { pids } = await askUntil(server.url, 2, of('first'));
      write('second');
      server.signal('SIGHUP');
      await waitFor('the renewal', async () => server.stderr().includes('the certificate was read again'));
      assert.deepEqual((await askUntil(server.url, 2, of('second'))).pids.sort(), pids.sort());
    });
  });
});
