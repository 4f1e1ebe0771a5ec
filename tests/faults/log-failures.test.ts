// Standard error and output that take nothing end nothing: neither the start nor the process nor a request.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { colonnadePath, makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';

/** Bash gives the server another standard error; `$$` is its number, as it takes the place of bash. */
const errors: Readonly<Record<string, string>> = {
  'a full disk': 'exec "$@" 2>/dev/full',
  'a pipe without a reader': 'exec "$@" 2> >(true)',
  'a full pipe that nobody reads':
    'exec 2> >(exec tail --pid=$$ -f /dev/null >/dev/null); head -c 65536 /dev/zero >&2; exec "$@"',
};

describe('a server', { skip: process.platform !== 'linux' && 'descriptors are set the Linux way' }, () => {
  for (const [name, script] of Object.entries(errors)) {
    it(`serves and stops in order while its log goes to ${name}`, async () => {
      const config = join(makeTemporaryDirectory(), 'colonnade.json');
      writeFileSync(config, '{}');
      const launcher = ['bash', '-c', script, 'bash'];
      const server = await startServer({ launcher, args: ['--config', config] });
      // Each signal gives an entry of the log.
      for (let time = 0; time < 20; time += 1) {
        const reply = await fetch(`${server.url}/health/ready`);
        assert.equal(reply.status, 200);
        server.signal('SIGHUP');
      }
      const reply = await fetch(`${server.opsUrl}/local/events`);
      assert.equal(reply.status, 200);
      assert.equal((await server.stop()).code, 0);
    });
  }

  it('serves where the addresses cannot be printed', async () => {
    const args = ['serve', '--data-dir', makeTemporaryDirectory(), '--port=0', '--ops-port=0'];
    const script = 'exec "$@" >/dev/full';
    const child = spawn('bash', ['-c', script, 'bash', process.execPath, colonnadePath, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      let log = '';
      for await (const chunk of child.stderr.setEncoding('utf8')) {
        log += String(chunk);
        if (log.includes('could not be printed') && log.includes('"msg":"ready"')) break;
      }
      const [, url = ''] = /"urls":\["([^"]+)"/.exec(log) ?? [];
      assert.equal((await fetch(`${url}/health/live`)).status, 200);
      child.kill('SIGTERM');
      await once(child, 'exit');
      assert.equal(child.exitCode, 0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
