// A real Prometheus reads a server with the configuration, the rules and the expressions of docs/monitoring.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { dashboardExpressions, monitoringFolder } from './dashboard-expressions.js';
import { freePort } from './free-port.js';
import { command } from './ops-client.js';
import { withServer } from './start-server.js';

const hasPrometheus = spawnSync('promtool', ['--version']).status === 0;
const skip = hasPrometheus ? false : 'Prometheus is not installed: apt-get install prometheus';

it('Prometheus accepts the files, and has values for the panels', { skip }, async () => {
  await withServer(undefined, async (server) => {
    const directory = mkdtempSync(join(tmpdir(), 'colonnade-prometheus-'));
    const port = await freePort();
    cpSync(monitoringFolder, directory, { recursive: true });
    const config = join(directory, 'prometheus.yml');
    const target = server.opsUrl.replace('http://', '');
    const text = readFileSync(config, 'utf8').replace('127.0.0.1:8888', target).replace('15s', '1s');
    writeFileSync(config, text);
    execFileSync('promtool', ['check', 'config', config]);
    const storage = join(directory, 'data');
    const prometheus = spawn(
      'prometheus',
      [`--config.file=${config}`, `--storage.tsdb.path=${storage}`, `--web.listen-address=127.0.0.1:${port}`],
      { stdio: 'ignore' },
    );
    const gone = new Promise((resolve) => prometheus.once('exit', resolve));
    try {
      await until(async () => (await valuesOf(port, 'up{job="colonnade"} == 1')).length === 1);
      await until(async () => (await valuesOf(port, 'count_over_time(up[1m]) > 3')).length === 1);
      for (const expression of dashboardExpressions()) await valuesOf(port, expression);
      const panelValues = await valuesOf(
        port,
        'process_resident_memory_bytes{job="colonnade",instance=~"$instance"}',
      );
      assert.equal(panelValues.length, 1);
    } finally {
      prometheus.kill('SIGTERM');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

it('promtool finds nothing to improve in the metrics', { skip }, async () => {
  await withServer(undefined, async (server) => {
    await command(server, 'default_keyspace', { listTables: {} });
    const input = await (await fetch(`${server.opsUrl}/metrics`)).text();
    assert.match(input, /^colonnade_commands_seconds_bucket/m);
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
  });
});

/** The values that an expression has, as Grafana would ask for it. @throws where Prometheus refuses it */
async function valuesOf(port: number, expression: string): Promise<readonly unknown[]> {
  const query = expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`).catch(
    () => undefined,
  );
  if (reply === undefined || reply.status === 503) return []; // it starts
  const body: { status: string; error?: string; data?: { result: readonly unknown[] } } = JSON.parse(
    await reply.text(),
  );
  assert.equal(body.status, 'success', `${query}: ${body.error}`);
  return body.data?.result ?? [];
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Prometheus did not read the server within a minute');
}
