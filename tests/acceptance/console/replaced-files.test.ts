// The console of a server whose clone is built again while it runs.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { projectRoot } from '../../tidy/read-sources.js';
import { makeTemporaryDirectory, withServer } from '../start-server.js';

it('asks for a restart while its files are others than at the start', async () => {
  const clone = makeTemporaryDirectory();
  const console = join(clone, 'dist', 'console');
  for (const folder of ['server', 'console'])
    cpSync(join(projectRoot, 'dist', folder), join(clone, 'dist', folder), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(clone, 'node_modules'));
  cpSync(join(projectRoot, 'package.json'), join(clone, 'package.json'));
  // The command line after the path of the program, which is that of the copy.
  const program = join(clone, 'dist', 'server', 'colonnade.js');
  const launcher = ['bash', '-c', `exec "$0" "${program}" "\${@:2}"`];
  await withServer({ launcher }, async ({ opsUrl, url }) => {
    const page = join(console, 'index.html');
    const text = readFileSync(page, 'utf8');
    const answer = async () => {
      const reply = await fetch(`${opsUrl}/`);
      return { status: reply.status, text: await reply.text(), headers: reply.headers };
    };
    const expectRestart = async () => {
      const { status, text: shown, headers } = await answer();
      assert.equal(status, 503);
      assert.match(shown, /Restart it, then reload this page/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    };
    assert.equal((await answer()).text, text);
    rmSync(console, { recursive: true });
    await expectRestart();
    cpSync(join(projectRoot, 'dist', 'console'), console, { recursive: true });
    writeFileSync(page, text.replaceAll('.js"', '-next.js"'));
    await expectRestart();
    assert.equal((await fetch(`${url}/health/ready`)).status, 200);
    // A build makes equal files each time.
    writeFileSync(page, text);
    assert.equal((await answer()).text, text);
  });
});
