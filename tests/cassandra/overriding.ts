// A session with a cluster, some of whose methods are those of a test.
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';

/** A session some of whose methods are others. */
export function overriding(real: CqlSession, others: Partial<CqlSession>): CqlSession {
  return {
    isUserChecked: real.isUserChecked,
    connected: () => real.connected(),
    run: (statement, page) => real.run(statement, page),
    runText: (cql, wanted) => real.runText(cql, wanted),
    nodes: () => real.nodes(),
    changeSchema: (cql, timeoutMs) => real.changeSchema(cql, timeoutMs),
    isInAgreement: () => real.isInAgreement(),
    onSchemaChange: (listener) => real.onSchemaChange(listener),
    onProblem: (listener) => real.onProblem(listener),
    close: () => real.close(),
    ...others,
  };
}
