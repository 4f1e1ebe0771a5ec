// A process of simulated Cassandra nodes, each on a loopback address of its own.
import { numberedId, type SimulatedMember, tablesOf } from './node-tables.js';
import { rowTables } from './row-tables.js';
import { type SimulatedNode, startSimulatedNode } from './simulated-node.js';

/** The commands of the process. */
export type SimulationOrder = { readonly start: SimulationPlan } | 'count';

/** What is simulated. */
export interface SimulationPlan {
  readonly nodes: number;
  /** Tables of users, for what watches. */
  readonly tables: number;
  /** Whether there are the tables of `bench:rows` instead, for what reads and writes rows. */
  readonly hasRows?: boolean;
}

/** What it answers. */
export interface SimulationMessage {
  readonly port?: number;
  /** Addresses of the first three nodes. */
  readonly seeds?: readonly string[];
  readonly queryCount?: number;
}

const nodes: SimulatedNode[] = [];

process.on('message', async (order: SimulationOrder) => {
  if (order === 'count') reply({ queryCount: nodes.reduce((sum, node) => sum + node.queryCount, 0) });
  else reply(await start(order.start));
});

async function start({
  nodes: count,
  tables: tableCount,
  hasRows,
}: SimulationPlan): Promise<SimulationMessage> {
  const members = Array.from({ length: count }, (_, at): SimulatedMember => {
    const address = `127.0.${1 + Math.floor(at / 250)}.${1 + (at % 250)}`;
    return { address, hostId: numberedId(at), dc: `dc${at % 2}` };
  });
  let port = 0;
  for (const self of members) {
    const seconds = () => performance.now() / 1000;
    const tables = tablesOf({ self, members, port, tableCount, seconds });
    const tableNamed = (name: string) => (hasRows === true ? rowTables[name] : undefined) ?? tables[name]?.();
    const node = await startSimulatedNode({ address: self.address, port }, tableNamed);
    port = node.port; // the first one picks it for all
    nodes.push(node);
  }
  return { port, seeds: members.slice(0, 3).map(({ address }) => address) };
}

function reply(message: SimulationMessage): void {
  process.send?.(message);
}
