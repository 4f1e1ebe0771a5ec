// Checks how the tables of a Cassandra node are converted: rates, sums, percentiles in milliseconds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NodeFacts, NodeReadings } from './node-readings.js';
import type { NodeViews, ViewRow } from './node-views.js';

const facts: NodeFacts = { address: '10.0.0.1', release: '5.0.9', generation: 1, loadBytes: 2048 };

/** A row of a latency table; the columns named `_ms` contain seconds. */
function latency(table: string, count: number, seconds = 0, keyspace_name = 'shop'): ViewRow {
  return {
    keyspace_name,
    table_name: table,
    count: BigInt(count),
    p50th_ms: seconds,
    p99th_ms: seconds * 2,
    max_ms: seconds * 3,
  };
}

/** Reads twice, ten seconds apart; returns the values of the second reading by key, table and part. */
function second(
  before: NodeViews,
  after: NodeViews,
  changed: Partial<NodeFacts> = {},
): ReadonlyMap<string, number> {
  const readings = new NodeReadings();
  readings.read(facts, before, 5000);
  const found = readings.read({ ...facts, ...changed }, after, 15_000);
  return new Map(
    found.map(({ key, table, part, value }) => [
      [key, table, part].filter((word) => word !== undefined).join(' '),
      value,
    ]),
  );
}

describe('the readings of a node', () => {
  it('are rates per second, summed over tables, without those of the system', () => {
    const views = (a: number, b: number, scans: number): NodeViews => ({
      coordinatorReads: [latency('a', a), latency('b', b), latency('local', 1000 * a, 0, 'system')],
      coordinatorScans: [latency('a', scans)],
      coordinatorWrites: [latency('a', 10 * a)],
    });
    const found = second(views(10, 20, 0), views(30, 40, 10));
    assert.equal(found.get('read-ops'), 5);
    assert.equal(found.get('write-ops'), 20);
    assert.equal(found.get('data-load'), 2048);
  });

  it('are rates over the time since the table was read last, which may be several readings ago', () => {
    const readings = new NodeReadings();
    const writes = (count: number): NodeViews => ({ coordinatorWrites: [latency('a', count)] });
    readings.read(facts, writes(0), 0);
    for (const atMs of [10_000, 20_000, 30_000]) readings.read(facts, {}, atMs);
    const [rate] = readings.read(facts, writes(4000), 40_000).filter(({ key }) => key === 'write-ops');
    assert.equal(rate?.value, 100);
  });

  it('have no rates at first', () => {
    const found = new NodeReadings().read(facts, { coordinatorWrites: [latency('a', 10)] }, 0);
    assert.deepEqual(
      found.map(({ key }) => key),
      ['data-load'],
    );
  });

  it('take no rates from tables that appear, disappear or whose counts fall', () => {
    const reads = (...rows: readonly ViewRow[]): NodeViews => ({ localReads: rows, localScans: [] });
    const found = second(
      reads(latency('a', 10), latency('b', 900)),
      reads(latency('a', 5), latency('c', 700)),
    );
    assert.equal(found.get('cf-read-ops shop.a'), 0);
    assert.equal(found.get('cf-read-ops shop.c'), 0);
    assert.equal(found.has('cf-read-ops shop.b'), false);
  });

  it('count from zero after a restart of the node', () => {
    const writes = (count: number): NodeViews => ({ coordinatorWrites: [latency('a', count)] });
    assert.equal(second(writes(1000), writes(50), { generation: 2 }).get('write-ops'), 5);
    assert.equal(second(writes(1000), writes(50)).get('write-ops'), 0);
  });

  it('give percentiles in milliseconds, also where the release gives seconds', () => {
    const views: NodeViews = {
      localWrites: [latency('a', 5, 0.004), latency('b', 0, 0)],
      coordinatorWrites: [latency('a', 5, 0.004)],
    };
    const found = second(views, {
      ...views,
      coordinatorWrites: [latency('a', 6, 0.005), latency('b', 9, 0.001)],
    });
    assert.equal(found.get('cf-local-write-latency shop.a P99'), 8);
    assert.equal(found.has('cf-local-write-latency shop.b P99'), false);
    assert.equal(found.get('write-histogram P50'), 5);
    assert.equal(found.get('write-histogram MAX'), 15);
    const later = second(views, views, { release: '6.0.1' });
    assert.equal(later.get('cf-local-write-latency shop.a P50'), 0.004);
    assert.equal(later.has('write-histogram P50'), false);
  });

  it('report what waits, where a pool that is not listed is 0', () => {
    const views: NodeViews = {
      threadPools: [{ name: 'CompactionExecutor', pending_tasks: 7 }],
      streams: [
        { status_success_timestamp: null, status_failure_timestamp: null },
        { status_success_timestamp: new Date(0), status_failure_timestamp: null },
      ],
    };
    const found = second(views, views);
    assert.equal(found.get('pending-compaction-tasks'), 7);
    assert.equal(found.get('pending-read-stage'), 0);
    assert.equal(found.get('pending-streams'), 1);
    assert.equal(second({}, {}).has('pending-read-stage'), false);
  });

  it('give cache rates, and a hit rate only where there were requests', () => {
    const caches = (hits: number, requests: number): NodeViews => ({
      caches: [
        { name: 'keys', capacity_bytes: 100n, hit_count: BigInt(hits), request_count: BigInt(requests) },
        { name: 'rows', capacity_bytes: 0n, hit_count: 0n, request_count: 0n },
      ],
    });
    const found = second(caches(10, 20), caches(40, 60));
    assert.equal(found.get('key-cache-hits'), 3);
    assert.equal(found.get('key-cache-requests'), 4);
    assert.equal(found.get('key-cache-hit-rate'), 75);
    assert.equal(found.has('row-cache-hits'), false);
    assert.equal(second(caches(10, 20), caches(10, 20)).has('key-cache-hit-rate'), false);
  });

  it('count hints only where handing off is on', () => {
    const hints = (value: string): NodeViews => ({
      hints: [{ files: 2 }, { files: 3 }],
      hintSetting: [{ value }],
    });
    assert.equal(second({}, hints('true')).get('pending-hinted-handoff'), 5);
    assert.equal(second({}, hints('false')).has('pending-hinted-handoff'), false);
  });

  it('count the compactions that were not there before', () => {
    const history = (...ids: readonly string[]): NodeViews => ({
      compactions: ids.map((id) => ({ id, keyspace_name: 'shop', bytes_in: 100n })),
    });
    const found = second(history('a', 'b'), history('b', 'c', 'd'));
    assert.equal(found.get('total-bytes-compacted'), 20);
    assert.equal(found.get('total-compactions-completed'), 0.2);
  });

  it('give the size of tables in bytes', () => {
    const found = second({}, { diskUsage: [{ keyspace_name: 'shop', table_name: 'a', mebibytes: 3n }] });
    assert.equal(found.get('cf-total-disk-used shop.a'), 3_145_728);
  });
});
