// Checks that nodes are queried only for users' tables.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { viewNames, viewQuery } from './node-views.js';

describe('the query of a view', () => {
  it('names the keyspaces of users, where a view has a row for each table', () => {
    assert.equal(
      viewQuery('localScans', ['app', 'shop']),
      'SELECT keyspace_name, table_name, count FROM system_views.local_scan_latency' +
        " WHERE keyspace_name IN ('app', 'shop') ALLOW FILTERING",
    );
    assert.equal(viewQuery('threadPools', ['app']), viewQuery('threadPools', undefined));
  });

  it('reads all rows while the keyspaces are not known, and where they are too many to be named', () => {
    const all = viewQuery('localReads', undefined);
    assert.match(all ?? '', /FROM system_views\.local_read_latency$/);
    assert.equal(
      viewQuery(
        'localReads',
        Array.from({ length: 51 }, (_, at) => `ks${at}`),
      ),
      all,
    );
  });

  it('is left out where there can be no rows', () => {
    assert.deepEqual(
      viewNames.filter((name) => viewQuery(name, []) === undefined),
      [
        'coordinatorReads',
        'coordinatorScans',
        'coordinatorWrites',
        'localReads',
        'localScans',
        'localWrites',
        'diskUsage',
      ],
    );
  });
});
