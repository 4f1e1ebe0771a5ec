// The policies of data sessions: which node the driver asks, when it asks another one, and what is known of attempts.
import driver from 'cassandra-driver';

/** The attempts to carry out one statement. The driver passes them on with the options of its execution. */
export interface Attempts {
  /** Nodes that the statement was sent to, or was about to be sent to. */
  started: number;
  /** The number of these that refused it without doing anything, after which another one was asked. */
  undone: number;
  /** Whether no other node is asked, because the one that refused the statement may have carried a part of it out. */
  readonly isSentOnce: boolean;
}

/** Whether a statement without a given node was sent to none: the nodes that were asked did not even prepare it. */
export function isUnsent({ started }: Attempts): boolean {
  return started === 0;
}

/** Whether a statement that failed may have been carried out by another node than the last one. */
export function mayBeDone({ started, undone }: Attempts): boolean {
  return started - 1 > undone;
}

/**
 * The nodes of one data center: first the nodes that have the row, of two of them the one with fewer statements under
 * way. A node that hangs keeps its statements, so it soon gets no more.
 *
 * A driver without connections makes its first connection a second time, which leaves timers and connections of the
 * first behind, twice as many after each time: here it is refused instead, until the connections to known nodes are
 * back.
 */
export class LocalNodes extends driver.policies.loadBalancing.DefaultLoadBalancingPolicy {
  #client: driver.Client | undefined;

  constructor(localDataCenter: string) {
    super({ localDc: localDataCenter });
  }

  /** A client that its policy refuses would leave connections open: an unknown data center is refused later. */
  override init(client: driver.Client, hosts: driver.HostMap, callback: driver.EmptyCallback): void {
    this.#client = client;
    // Its declaration wants an error where there is none.
    super.init(client, hosts, () => callback(null as unknown as Error));
  }

  /** `options`: null for what belongs to no statement: the connection for events, and what is prepared. */
  override newQueryPlan(
    keyspace: string,
    options: driver.ExecutionOptions | null,
    callback: (error: Error, nodes: Iterator<driver.Host>) => void,
  ): void {
    if (options === null && !this.#hasConnections()) {
      callback(new Error(noNode), noNodes);
      return;
    }
    const attempts = attemptsOf(options);
    const arrange = (nodes: Iterator<driver.Host>) => {
      if (options === null) return leastBusyFirst(nodes);
      return attempts === undefined ? nodes : countedNodes(nodes, attempts);
    };
    // Its declaration lacks that there may be no options.
    super.newQueryPlan(keyspace, options as driver.ExecutionOptions, (error, nodes) =>
      callback(error, arrange(nodes)),
    );
  }

  #hasConnections(): boolean {
    const connected = this.#client?.getState().getConnectedHosts() ?? [];
    return connected.some((host) => host.isUp() && this.getDistance(host) === driver.types.distance.local);
  }
}

/** What is wrong where no node can be asked. */
export const noNode = 'no node of the cluster answers';

const noNodes: Iterator<driver.Host> = { next: () => ({ done: true, value: undefined }) };

/**
 * By the statements that nodes have under way, the fewest first: a statement is prepared on one node, and waits for it
 * until its time is nearly over. A node that hangs keeps its statements.
 */
function leastBusyFirst(nodes: Iterator<driver.Host>): Iterator<driver.Host> {
  const hosts: driver.Host[] = [];
  for (let node = nodes.next(); node.done !== true; node = nodes.next()) hosts.push(node.value);
  // Its declaration lacks the member.
  const underWay = (host: driver.Host) => (host as driver.Host & { getInFlight(): number }).getInFlight();
  return hosts.sort((one, other) => underWay(one) - underWay(other)).values();
}

function countedNodes(nodes: Iterator<driver.Host>, attempts: Attempts): Iterator<driver.Host> {
  return {
    next: () => {
      const node = nodes.next();
      if (node.done !== true) attempts.started += 1;
      return node;
    },
  };
}

/**
 * Asks one other node, at most, where nothing was done, and for statements that may be carried out twice also where no
 * answer came. The driver asks only for such statements here. A cluster with too much to do gets no further work.
 */
export class OneOtherNode extends driver.policies.retry.RetryPolicy {
  override onUnavailable(...args: Parameters<driver.policies.retry.RetryPolicy['onUnavailable']>) {
    const [{ nbRetry, executionOptions }] = args;
    if (attemptsOf(executionOptions)?.isSentOnce === true) return this.rethrowResult();
    if (nbRetry === 0) countUndone(executionOptions); // later the failure is the last one
    return super.onUnavailable(...args);
  }

  override onRequestError(
    { nbRetry, executionOptions }: driver.policies.retry.OperationInfo,
    consistency: driver.types.consistencies,
    error: Error,
  ): driver.policies.retry.DecisionInfo {
    const isOverloaded = 'code' in error && error.code === driver.types.responseErrorCodes.overloaded;
    if (nbRetry > 0 || isOverloaded) return this.rethrowResult();
    if (error.name === 'ResponseError') countUndone(executionOptions); // the node starts
    return this.retryResult(consistency, false);
  }
}

/**
 * Asks a second node too where the first one has not answered an idempotent statement for some time. Not while the
 * session has much to do: then the nodes are slow because of that, and more statements would make them slower.
 */
export class SecondNode extends driver.policies.speculativeExecution.ConstantSpeculativeExecutionPolicy {
  readonly #isBusy: () => boolean;

  constructor(delayMs: number, isBusy: () => boolean) {
    super(delayMs, 1);
    this.#isBusy = isBusy;
  }

  override newPlan(keyspace: string, query: string | object[]): { nextExecution: () => number } {
    // Its declaration lacks the result.
    return this.#isBusy() ? noSecondNode : (super.newPlan(keyspace, query) as typeof noSecondNode);
  }
}

const noSecondNode = { nextExecution: () => -1 };

function countUndone(options: driver.ExecutionOptions): void {
  const attempts = attemptsOf(options);
  if (attempts !== undefined) attempts.undone += 1;
}

function attemptsOf(options: driver.ExecutionOptions | null): Attempts | undefined {
  const given: driver.QueryOptions & Partial<Attempts> = options?.getRawQueryOptions() ?? {};
  return given.started === undefined ? undefined : (given as Attempts); // who gives one gives both
}
