// The engine suite on a real Cassandra node.
import { describe } from 'node:test';
import {
  describeEngine,
  describeExtendedEngine,
  withoutRepeatedCases,
} from '../conformance/describe-engine.js';
import { unsortedDifferences } from '../conformance/distributed-differences.js';
import { openEmptied } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** The share of rows with a vector that may be lacking, because they began a graph together (docs/decisions/0157). */
const lackingShare = 0.1;
const byToken = 'unsorted reads come in the order of the tokens of partitions';

/** Case → why the engine does not do it. */
const knownGaps: Readonly<Record<string, string>> = {
  ...withoutRepeatedCases('other engines try it; on a node it takes minutes'),
  'keeps a keyspace with its replication as given': 'a cluster refuses data centers that it does not have',
  'leaves a keyspace that exists as it is': 'a cluster adds the replication factor where none is given',
  'keeps columns, key and directions of a table': 'CQL has no column without a name',
  'finds rows of a folded key column that differ in nothing else': 'indexes on key columns fold no texts',
  'makes no cosine index over zero vectors, and names them': 'rows cannot have zero vectors',
  'ends a row with its last counter, and counts from 0 again behind that':
    'a counter that was deleted cannot be used again',
};

describe('a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  describeEngine(
    'cassandra',
    () => openEmptied(cluster().nodes[0]?.place.nativePort ?? 0),
    knownGaps,
    unsortedDifferences(byToken),
    'unnamed',
    lackingShare,
  );
  describeExtendedEngine('cassandra', () =>
    openEmptied(cluster().nodes[0]?.place.nativePort ?? 0, 'extended'),
  );
});
