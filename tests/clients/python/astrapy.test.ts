// Runs the official Python client, and the program that is shown for it, where a Python with astrapy is named.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { RunningServer } from '../../acceptance/start-server.js';
import { projectRoot } from '../../tidy/read-sources.js';
import { startEmpty } from '../connect.js';

const python = process.env['ASTRAPY_PYTHON'];
const skip = python === undefined && 'ASTRAPY_PYTHON names no Python that has astrapy; .ci/run sets one up';

describe('astrapy', { skip }, () => {
  let server: RunningServer;
  before(async () => {
    server = await startEmpty();
  });
  after(() => server.stop());

  /** What the program prints. Python leaves no compiled files beside it. */
  async function run(...program: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(python ?? '', ['-B', ...program], { timeout: 60_000 });
    return stdout;
  }

  for (const [script, last] of [
    ['round_trip.py', 'dropTable'],
    ['values.py', 'refused text_map'],
    ['reading_on.py', 'async definition'],
  ] as const) {
    it(`holds in ${script}`, async () => {
      const printed = await run(join(projectRoot, 'tests', 'clients', 'python', script), server.url);
      assert.equal(printed.trimEnd().split('\n').at(-1), last);
    });
  }

  it('holds in documents.py', async () => {
    const own = await startEmpty();
    try {
      const script = join(projectRoot, 'tests', 'clients', 'python', 'documents.py');
      const printed = await run(script, own.url);
      assert.equal(printed.trimEnd().split('\n').at(-1), 'end');
    } finally {
      await own.stop();
    }
  });

  it('holds in extended.py', async () => {
    const extended = await startEmpty({ args: ['--dialect', 'extended'] });
    try {
      const script = join(projectRoot, 'tests', 'clients', 'python', 'extended.py');
      const printed = await run(script, extended.url, extended.opsUrl);
      assert.equal(printed.trimEnd().split('\n').at(-1), 'end');
    } finally {
      await extended.stop();
    }
  });

  it('runs the program of its document', async () => {
    const text = readFileSync(join(projectRoot, 'docs', 'python-client.md'), 'utf8');
    const [, program = '', printed] = /```python\n(.*?)```\n\n```text\n(.*?)```/s.exec(text) ?? [];
    assert.ok(program.includes('http://127.0.0.1:8181'));
    assert.equal(await run('-c', program.replace('http://127.0.0.1:8181', server.url)), printed);
  });
});
