// Random documents and commands on a real node: the engine answers as the model in memory does.
import { before, describe, it } from 'node:test';
import { compareWithModel } from '../documents/compare-with-model.js';
import { newSeed } from '../seeded-random.js';
import { openEmptied, openOnCluster } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** Set to numbers, the scenarios begin with this seed, or so many commands are sent. */
const seed = Number(process.env['COLONNADE_TEST_SEED'] ?? newSeed());
const commands = Number(process.env['COLONNADE_TEST_COMMANDS'] ?? 700);

describe('documents on a node against a model', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const port = () => cluster().nodes[0]?.place.nativePort ?? 0;
  before(async () => {
    const engine = await openEmptied(port());
    await engine.close();
  });

  it('answers random commands as the model does', async (test) => {
    test.diagnostic(`seed ${seed}`);
    const openEngine = () => openOnCluster(port());
    const run = await compareWithModel(commands, seed, { openEngine, hasOrderOfTies: false });
    test.diagnostic(`${run.commands} commands, ${run.documents} documents`);
  });
});
