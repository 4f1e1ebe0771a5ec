// Tests of the wire and of clients also run with rows in another engine: the environment then has its options.
import assert from 'node:assert/strict';

/** Further options of every server that such tests start, as a JSON array. */
export const serverArgsVariable = 'COLONNADE_TEST_SERVER_ARGS';

/** The options; none where the tests run on the embedded engine. */
export function serverArgs(): readonly string[] {
  const args: unknown = JSON.parse(process.env[serverArgsVariable] ?? '[]');
  assert.ok(Array.isArray(args) && args.every((arg) => typeof arg === 'string'), serverArgsVariable);
  return args;
}

/** For tests of what only a cluster does: why they are skipped. */
export function skippedUnlessOnCluster(): string | false {
  return !isOnCluster() && 'the rows are not in a cluster: tests/cassandra/all-requests.test.ts runs it';
}

/** Whether the rows of all servers are in one cluster: a new server then shows what the one before left. */
export function isOnCluster(): boolean {
  return serverArgs().length > 0;
}
