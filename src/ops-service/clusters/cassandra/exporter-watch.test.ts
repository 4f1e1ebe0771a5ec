// Checks the reading of exporters with real HTTP servers: working, broken, slow and hostile ones.
import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createAddressPolicy } from '../../../foundation/http/address-policy.js';
import { createSendRequest, type SendRequest } from '../../../foundation/http/send-request.js';
import { ExporterWatch } from './exporter-watch.js';

const good = 'java_lang_Memory_HeapMemoryUsage_used 7.0\nnode_load1 0.5\n';
const textType = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

interface WatchOptions {
  readonly url?: string;
  readonly send?: SendRequest;
  readonly timeoutMs?: number;
  readonly maxBodyBytes?: number;
}

/** Reads exporters on 127.0.0.1, all of which use `listener`. */
async function watchOver(listener: RequestListener, options: WatchOptions = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const clock = { ms: 0 };
  const problems: string[] = [];
  const errors: unknown[] = [];
  const { timeoutMs = 300, maxBodyBytes = 10_000 } = options;
  const send = options.send ?? createSendRequest();
  let ended = 0;
  const watch = new ExporterWatch({
    url: (options.url ?? 'http://{host}:{port}/metrics').replace('{port}', String(port)),
    sendRequest: async (request) => {
      try {
        return await send({ ...request, timeoutMs, maxBodyBytes });
      } finally {
        ended += 1;
      }
    },
    clock: { nowMs: () => clock.ms, monotonicMs: () => clock.ms },
    onProblem: (address, problem, error) => {
      problems.push(`${address} ${problem}`);
      errors.push(error);
    },
  });
  const read = (...addresses: readonly string[]) => {
    const nodes = addresses.length === 0 ? ['127.0.0.1'] : addresses;
    return watch.read(nodes.map((address) => ({ address, generation: 1 })));
  };
  /** Starts readings and waits for the replies; the next `read` returns their values. */
  const ask = async (...addresses: readonly string[]) => {
    const before = ended;
    read(...addresses);
    while (ended - before < Math.max(1, addresses.length))
      await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { watch, clock, problems, errors, read, ask, asked: () => ended };
}

describe('exporters that answer', () => {
  it('give their values once, with the next reading', async () => {
    const { watch, clock, read, ask, problems } = await watchOver((_, response) => {
      response.writeHead(200, textType).end(good);
    });
    assert.equal(watch.gives('heap-used'), false);
    assert.equal(watch.whyNot('heap-used'), 'no exporter has answered yet');
    await ask();
    clock.ms += 10_000;
    const shown = read().map(({ key, node, value }) => `${key} ${node} ${value}`);
    assert.deepEqual(shown, ['heap-used 127.0.0.1 7', 'os-load 127.0.0.1 0.5']);
    assert.equal(watch.gives('heap-used'), true);
    assert.equal(watch.whyNot('heap-used'), undefined);
    assert.equal(watch.whyNot('os-cpu-user'), 'the exporters do not give it');
    assert.equal(watch.whyNot('read-ops'), undefined);
    assert.deepEqual(read(), []);
    assert.deepEqual(problems, []);
    await watch.close();
  });

  it('are those of each node, and forgotten with it', async () => {
    const { watch, read, ask } = await watchOver((_, response) => {
      response.writeHead(200, { ...textType, 'content-encoding': 'gzip' }).end(gzipSync(good));
    });
    await ask('127.0.0.1', '127.0.0.2');
    assert.equal(watch.gives('os-load'), true);
    assert.match(watch.whyNot('os-cpu-user') ?? '', /^the exporter of 127\.0\.0\.2 does not answer/);
    assert.deepEqual(read('127.0.0.2'), []);
    assert.equal(watch.gives('os-load'), false);
    await watch.close();
  });

  it('are not read again for four times as long as they took', async () => {
    const { watch, clock, ask, asked, read } = await watchOver((_, response) => {
      clock.ms += 4000;
      response.writeHead(200, textType).end(good);
    });
    await ask();
    for (const ms of [10_000, 5_000]) {
      clock.ms += ms;
      read();
    }
    assert.equal(asked(), 1);
    clock.ms += 1000;
    await ask();
    assert.equal(asked(), 2);
    await watch.close();
  });
});

describe('exporters that do not', () => {
  const huge = `${'# x\n'.repeat(5000)}`;
  const cases: readonly (readonly [string, RequestListener, RegExp])[] = [
    [
      'say what is not the format',
      (_, to) => to.writeHead(200, textType).end('<html>secret</html>\n'),
      /line 1 does not/,
    ],
    ['break off', (_, to) => to.writeHead(200, textType).end('heap 12'), /line 1 is not ended/],
    [
      'send another content type',
      (_, to) => to.writeHead(200, { 'content-type': 'text/html' }).end(good),
      /content type/,
    ],
    ['say no', (_, to) => to.writeHead(503, textType).end('secret'), /answered 503$/],
    [
      'point elsewhere',
      (_, to) => to.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /answered 302$/,
    ],
    ['never end', (_, to) => void to.writeHead(200, textType).write(good), /no whole reply within/],
    ['never begin', () => undefined, /no whole reply within/],
    ['are too large', (_, to) => to.writeHead(200, textType).end(huge), /more than 10000 bytes/],
    [
      'are too large once unpacked',
      (_, to) => to.writeHead(200, { ...textType, 'content-encoding': 'gzip' }).end(gzipSync(huge)),
      /more than 10000 bytes/,
    ],
    ['hang up', (request) => request.socket.destroy(), /does not answer/],
  ];
  for (const [name, listener, problem] of cases) {
    it(`give nothing and a reason: they ${name}`, async () => {
      const { watch, clock, read, ask, problems } = await watchOver(listener);
      await ask();
      clock.ms += 60_000;
      assert.deepEqual(read(), []);
      assert.equal(watch.gives('os-load'), false);
      assert.match(watch.whyNot('os-load') ?? '', problem);
      assert.match(watch.whyNot('os-load') ?? '', /^the exporter of 127\.0\.0\.1 /);
      assert.doesNotMatch(watch.whyNot('os-load') ?? '', /secret/);
      await watch.close();
      assert.equal(problems.length, 1, 'reported once, not at every attempt');
    });
  }

  it('are a problem when they fail in an unexpected way, and are read again', async () => {
    let isOdd = true;
    const send = createSendRequest();
    const { watch, clock, problems, errors, read, ask } = await watchOver(
      (_, response) => response.writeHead(200, textType).end(good),
      {
        send: async (request) => {
          if (isOdd) throw new RangeError('secret');
          return send(request);
        },
      },
    );
    for (let time = 0; time < 2; time += 1) {
      await ask();
      clock.ms += 60_000;
    }
    assert.equal(watch.whyNot('os-load'), 'the exporter of 127.0.0.1 cannot be read: RangeError');
    assert.deepEqual(problems, ['127.0.0.1 cannot be read: RangeError']);
    assert.match(String(errors[0]), /secret/); // only for the log
    isOdd = false;
    await ask();
    assert.equal(read().length, 2);
    await watch.close();
  });

  it('do no harm with very many metrics', async () => {
    const lines = Array.from(
      { length: 200_000 },
      (_, at) => `node_filesystem_avail_bytes{mountpoint="/${at}"} 1\n`,
    );
    const { watch, read, ask } = await watchOver(
      (_, response) => {
        response.writeHead(200, textType).end(lines.join(''));
      },
      { maxBodyBytes: 32 * 1024 * 1024, timeoutMs: 10_000 },
    );
    await ask();
    assert.equal(read().length, 200_000);
    await watch.close();
  });

  it('lose the keys that they gave before', async () => {
    let isBroken = false;
    const { watch, clock, ask, read } = await watchOver((_, response) => {
      response.writeHead(isBroken ? 500 : 200, textType).end(good);
    });
    await ask();
    isBroken = true;
    clock.ms += 60_000;
    await ask();
    assert.equal(watch.gives('os-load'), false);
    assert.deepEqual(read(), []);
    await watch.close();
  });

  it('are not asked where the policy denies the address', async () => {
    const policy = createAddressPolicy({ deny: ['127.0.0.0/8'], allow: [] });
    let requests = 0;
    const { watch, ask } = await watchOver(
      (_, response) => {
        requests += 1;
        response.end();
      },
      { send: createSendRequest(policy) },
    );
    await ask();
    assert.equal(requests, 0);
    assert.match(watch.whyNot('os-load') ?? '', /denied by --deny-address/);
    await watch.close();
  });

  it('are not taken for those of several nodes', async () => {
    const { watch, read, asked } = await watchOver(() => undefined, { url: 'http://127.0.0.1:{port}/' });
    read('10.0.0.1', '10.0.0.2');
    assert.equal(asked(), 0);
    assert.match(watch.whyNot('os-load') ?? '', /no \{host\}/);
    await watch.close();
  });
});
