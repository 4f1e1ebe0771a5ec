// Which nodes of a cluster are passed by: those that hang, and those that are just starting or stopping.
import { setTimeout as wait } from 'node:timers/promises';

/** What a node says when it is asked whether it works: `gone` for a node without connections, which nobody asks. */
export type NodeState = 'works' | 'refuses' | 'silent' | 'gone';

/**
 * A node is asked so soon again, and then behind pauses that are twice as long each. The longest one is longer than the
 * time for which a connection is idle before the driver checks it (driver-data-client.ts): then it checks it, too.
 */
const firstPauseMs = 250;
const longestPauseMs = 6_000;

/** What is known of a node. */
export interface NodeRecord<Node> {
  readonly node: Node;
  /** How many statements it has answered. */
  answers: number;
  isPassedBy: boolean;
  /** Are called when the node has not answered the question whether it works. */
  readonly onSilence: Set<() => void>;
}

/** The node that a statement was sent to. */
export interface AskedNode<Node> {
  /** Undefined before it was sent. */
  readonly node: NodeRecord<Node> | undefined;
  /** How many statements the node had answered when it got this one. */
  readonly answersBefore: number;
}

/** Whether the node has answered nothing at all since it got the statement. */
export function isSilent<Node>({ node, answersBefore }: AskedNode<Node>): boolean {
  return node !== undefined && node.answers === answersBefore;
}

/**
 * The nodes of a session. A node that is passed by is asked last, and asked whether it works until it says so. Each
 * node is asked by one question at a time.
 */
export class PassedNodes<Node extends object> {
  readonly #ask: (node: Node) => Promise<NodeState>;
  readonly #records = new WeakMap<Node, NodeRecord<Node>>();
  #passed = 0;
  /** The node that was last asked to prepare a statement. */
  #preparing: Node | undefined;
  #isClosed = false;

  /** `ask` never rejects, and gives each node little time. */
  constructor(ask: (node: Node) => Promise<NodeState>) {
    this.#ask = ask;
  }

  recordOf(node: Node): NodeRecord<Node> {
    const known = this.#records.get(node);
    if (known !== undefined) return known;
    const record: NodeRecord<Node> = { node, answers: 0, isPassedBy: false, onSilence: new Set() };
    this.#records.set(node, record);
    return record;
  }

  /** Passes a node by until it works, and at least for `leastMs`. */
  passBy(node: Node, leastMs = 0): void {
    const record = this.recordOf(node);
    if (record.isPassedBy || this.#isClosed) return;
    record.isPassedBy = true;
    this.#passed += 1;
    void this.#untilItWorks(record, leastMs);
  }

  /** The nodes in their order, those that are passed by behind the others. */
  arranged(nodes: Iterator<Node>): Iterator<Node> {
    if (this.#passed === 0) return nodes;
    const first: Node[] = [];
    const last: Node[] = [];
    for (let node = nodes.next(); node.done !== true; node = nodes.next())
      (this.recordOf(node.value).isPassedBy ? last : first).push(node.value);
    return [...first, ...last].values();
  }

  /** The nodes in their order, which are asked one after another to prepare a statement. */
  *noted(nodes: Iterator<Node>): Iterator<Node> {
    for (let node = nodes.next(); node.done !== true; node = nodes.next()) {
      this.#preparing = node.value;
      yield node.value;
    }
  }

  /**
   * Passes the node by that refused to prepare a statement: the driver does not name it. Where other statements are
   * prepared meanwhile it can be another node, which is asked then, and is passed by until its answer.
   */
  passByPreparing(leastMs = 0): void {
    if (this.#preparing !== undefined) this.passBy(this.#preparing, leastMs);
  }

  /** No node is asked any more. */
  close(): void {
    this.#isClosed = true;
  }

  async #untilItWorks(record: NodeRecord<Node>, leastMs: number): Promise<void> {
    if (leastMs > 0) await wait(leastMs, undefined, { ref: false });
    for (let pauseMs = firstPauseMs; !this.#isClosed; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const state = await this.#ask(record.node);
      if (state === 'works' || state === 'gone' || this.#isClosed) break;
      if (state === 'silent') for (const listener of [...record.onSilence]) listener();
      await wait(pauseMs, undefined, { ref: false });
    }
    record.isPassedBy = false;
    this.#passed -= 1;
  }
}
