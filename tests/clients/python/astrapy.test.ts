// Runs the round trip of the official Python client where a Python with astrapy is named.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { startServer } from '../../acceptance/start-server.js';
import { projectRoot } from '../../tidy/read-sources.js';

const python = process.env['ASTRAPY_PYTHON'];
const skip = python === undefined && 'ASTRAPY_PYTHON names no Python that has astrapy; .ci/run sets one up';

it('carries rows and errors to astrapy and back', { skip }, async () => {
  const server = await startServer();
  try {
    const script = join(projectRoot, 'tests', 'clients', 'python', 'round_trip.py');
    const { stdout } = await promisify(execFile)(python ?? '', [script, server.url], { timeout: 60_000 });
    assert.match(stdout, /dropTable\n$/);
  } finally {
    await server.stop();
  }
});
