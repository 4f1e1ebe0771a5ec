// A file that is replaced on a full disk stays as it was: the key store must not be cut.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

const module = new URL('../../src/foundation/secrets/replace-file.js', import.meta.url);

describe('a file that is replaced where there is no room', {
  skip: process.platform !== 'linux' && 'limits are set the Linux way',
}, () => {
  it('keeps its old content, and nothing half written stays beside it', () => {
    const directory = makeTemporaryDirectory();
    const path = join(directory, 'a-file');
    writeFileSync(path, 'as it was');
    // The limit lets a part be written: 8 blocks are 4 or 8 KB.
    const script = `import { replaceFile } from ${JSON.stringify(module.href)};
      try { replaceFile(${JSON.stringify(path)}, Buffer.alloc(100_000)); } catch (error) { console.log(error.code); }`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const run = spawnSync('sh', ['-c', 'ulimit -S -f 8 && exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    assert.equal(run.stdout.trim(), 'EFBIG', run.stderr);
    assert.equal(readFileSync(path, 'utf8'), 'as it was');
    assert.deepEqual(readdirSync(directory), ['a-file']);
    rmSync(directory, { recursive: true });
  });
});
