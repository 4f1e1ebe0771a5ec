// The policies of data sessions: which node the driver asks, when it asks another one, and what is known of attempts.
import driver from 'cassandra-driver';
import { isOfBusyNode, isOfFullHints, isOfLeavingNode } from './driver-failure.js';
import { type AskedNode, isSilent, type NodeRecord, type PassedNodes } from './passed-nodes.js';
import type { SecondRequests } from './second-requests.js';

/** The attempts to carry out one statement. The driver passes them on with the options of its execution. */
export interface Attempts extends AskedNode<driver.Host> {
  /** Nodes that the statement was sent to, or was about to be sent to. */
  started: number;
  /** The number of these that refused it without doing anything, after which another one was asked. */
  undone: number;
  /** Whether no other node is asked, because the one that refused the statement may have carried a part of it out. */
  readonly isSentOnce: boolean;
  /** The last of these nodes. */
  node: NodeRecord<driver.Host> | undefined;
  answersBefore: number;
}

/**
 * Whether a statement without a given node was sent to none, except to nodes that refused it: those that were asked did
 * not even prepare it.
 */
export function isUnsent({ started, undone }: Attempts): boolean {
  return started === undone;
}

/** Whether a statement that failed may have been carried out by another node than the last one. */
export function mayBeDone({ started, undone }: Attempts): boolean {
  return started - 1 > undone;
}

/**
 * The nodes of one data center: first the nodes that have the row, of two of them the one with fewer statements under
 * way; last those that hang, start or stop.
 *
 * A driver without connections makes its first connection a second time, which leaves timers and connections of the
 * first behind, twice as many after each time: here it is refused instead, until the connections to known nodes are
 * back.
 */
export class LocalNodes extends driver.policies.loadBalancing.DefaultLoadBalancingPolicy {
  readonly #passed: PassedNodes<driver.Host>;
  readonly #seconds: SecondRequests;
  #client: driver.Client | undefined;

  constructor(localDataCenter: string, passed: PassedNodes<driver.Host>, seconds: SecondRequests) {
    super({ localDc: localDataCenter });
    this.#passed = passed;
    this.#seconds = seconds;
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
    const arrange = (given: Iterator<driver.Host>) => {
      if (options === null) return this.#passed.noted(this.#passed.arranged(leastBusyFirst(given)));
      const nodes = this.#passed.arranged(given);
      return attempts === undefined
        ? nodes
        : new NodesInTurn(nodes, attempts, this.#passed, this.#seconds, () => this.#upNodes());
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

  #upNodes(): Iterator<driver.Host> {
    const nodes = this.#client?.hosts.values() ?? [];
    const isLocal = (host: driver.Host) => this.getDistance(host) === driver.types.distance.local;
    return this.#passed.arranged(nodes.filter((host) => host.isUp() && isLocal(host)).values());
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

/** Nodes that a statement is sent to again where all of its nodes were asked: at most so many in all. */
const mostAsked = 7;

/** The nodes of a statement, one after another, which notes its attempts and passes silent nodes by. */
class NodesInTurn implements Iterator<driver.Host> {
  #nodes: Iterator<driver.Host>;
  readonly #attempts: Attempts;
  readonly #passed: PassedNodes<driver.Host>;
  readonly #seconds: SecondRequests;
  readonly #again: () => Iterator<driver.Host>;

  constructor(
    nodes: Iterator<driver.Host>,
    attempts: Attempts,
    passed: PassedNodes<driver.Host>,
    seconds: SecondRequests,
    again: () => Iterator<driver.Host>,
  ) {
    this.#nodes = nodes;
    this.#attempts = attempts;
    this.#passed = passed;
    this.#seconds = seconds;
    this.#again = again;
  }

  next(): IteratorResult<driver.Host> {
    const attempts = this.#attempts;
    if (attempts.node === undefined) this.#seconds.noteStatement();
    else {
      this.#seconds.noteFurther();
      if (isSilent(attempts)) this.#passed.passBy(attempts.node.node);
    }
    let next = this.#nodes.next();
    if (next.done === true && attempts.started < mostAsked) {
      this.#nodes = this.#again();
      next = this.#nodes.next();
    }
    if (next.done === true) return next;
    attempts.started += 1;
    attempts.node = this.#passed.recordOf(next.value);
    attempts.answersBefore = attempts.node.answers;
    return next;
  }
}

/**
 * Asks one other node, at most, where nothing was done, and for statements that may be carried out twice also where no
 * answer came. The driver asks only for such statements here. Nodes with too much to do get little further work.
 */
export class OneOtherNode extends driver.policies.retry.RetryPolicy {
  readonly #seconds: SecondRequests;

  constructor(seconds: SecondRequests) {
    super();
    this.#seconds = seconds;
  }

  override onUnavailable(...args: Parameters<driver.policies.retry.RetryPolicy['onUnavailable']>) {
    const [{ nbRetry, executionOptions }] = args;
    if (attemptsOf(executionOptions)?.isSentOnce === true) return this.rethrowResult();
    if (nbRetry === 0) countUndone(executionOptions); // later the failure is the last one
    return super.onUnavailable(...args);
  }

  /** A node gives the others less time than the statement has. The driver asks for conditional writes, too. */
  override onReadTimeout(
    { nbRetry, executionOptions }: driver.policies.retry.OperationInfo,
    consistency: driver.types.consistencies,
  ): driver.policies.retry.DecisionInfo {
    const isAskedAgain = nbRetry === 0 && executionOptions.isIdempotent() === true;
    return isAskedAgain ? this.retryResult(consistency, false) : this.rethrowResult();
  }

  override onWriteTimeout(
    { nbRetry }: driver.policies.retry.OperationInfo,
    consistency: driver.types.consistencies,
  ): driver.policies.retry.DecisionInfo {
    return nbRetry === 0 ? this.retryResult(consistency, false) : this.rethrowResult();
  }

  override onRequestError(
    { nbRetry, executionOptions }: driver.policies.retry.OperationInfo,
    consistency: driver.types.consistencies,
    error: Error,
  ): driver.policies.retry.DecisionInfo {
    // A node has as much time as the statement.
    if (nbRetry > 0 || error.name === 'OperationTimedOutError') return this.rethrowResult();
    const isLeaving = isOfLeavingNode(error);
    const isBusy = isOfBusyNode(error);
    if ((isBusy || isOfFullHints(error)) && !this.#seconds.hasShare) return this.rethrowResult();
    if (isLeaving || isBusy) countUndone(executionOptions);
    return this.retryResult(consistency, false);
  }
}

/**
 * Asks a second node too where the first one has not answered an idempotent statement for longer than usual, and then
 * further ones.
 */
export class FurtherNodes extends driver.policies.speculativeExecution.ConstantSpeculativeExecutionPolicy {
  readonly #seconds: SecondRequests;

  constructor(seconds: SecondRequests) {
    super(seconds.delayMs, mostAsked);
    this.#seconds = seconds;
  }

  override newPlan(): FurtherPlan {
    return new FurtherPlan(this.#seconds);
  }
}

/** When the further nodes of one statement are asked. */
class FurtherPlan {
  readonly #seconds: SecondRequests;
  #asked = 0;

  constructor(seconds: SecondRequests) {
    this.#seconds = seconds;
  }

  /** Until the next one, in ms; -1 where there is none. */
  nextExecution(): number {
    this.#asked += 1;
    return this.#asked < mostAsked ? this.#seconds.delayBehind(this.#asked) : -1;
  }
}

function countUndone(options: driver.ExecutionOptions): void {
  const attempts = attemptsOf(options);
  if (attempts !== undefined) attempts.undone += 1;
}

function attemptsOf(options: driver.ExecutionOptions | null): Attempts | undefined {
  const given: driver.QueryOptions & Partial<Attempts> = options?.getRawQueryOptions() ?? {};
  return given.started === undefined ? undefined : (given as Attempts); // who gives one gives both
}
