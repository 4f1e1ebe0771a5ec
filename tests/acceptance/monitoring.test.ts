// The files for Prometheus, Grafana and systemd: they name metrics that there are, and the programs accept them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../tidy/read-sources.js';
import { dashboardExpressions, monitoringFolder } from './dashboard-expressions.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from './start-server.js';

const rules = readFileSync(join(monitoringFolder, 'colonnade-rules.yml'), 'utf8');

describe('the files for monitoring', () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer({ args: ['--archive', makeTemporaryDirectory()] });
    await fetch(`${server.url}/v1/default_keyspace`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ listTables: {} }),
    });
  });
  after(() => server.stop());

  it('name metrics that /metrics has', async () => {
    const known = await (await fetch(`${server.opsUrl}/metrics`)).text();
    const used = [
      ...`${dashboardExpressions().join('\n')}\n${rules}`.matchAll(/\b(?:colonnade|process|nodejs)_\w+/g),
    ];
    assert.ok(used.length > 20);
    for (const [name] of used) assert.match(known, new RegExp(`^${name}[ {]`, 'm'));
  });
});

it('has a unit that systemd accepts', { skip: withoutSystemd() }, () => {
  const unit = readFileSync(join(projectRoot, 'docs', 'service', 'colonnade.service'), 'utf8');
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-unit-'));
  const file = join(directory, 'colonnade.service');
  // This machine has Node at another path than the unit names.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  rmSync(directory, { recursive: true, force: true });
  assert.equal(`${status} ${stderr}`, '0 ');
});

function withoutSystemd(): string | false {
  return spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'systemd is not installed';
}
