// The time limit of a statement: for the connection, for its turn, and for all nodes that are asked.
import type { WhenGone } from '../limits/work-queue.js';
import { CassandraFailure, type CassandraFailureKind } from './session.js';

/** What a statement waits for. */
export type StatementStep = 'connection' | 'turn' | 'nodes';

/** What is known of a statement whose time ends at a step. */
const outcomes: Readonly<Record<StatementStep, readonly [kind: CassandraFailureKind, problem: string]>> = {
  connection: ['unreachable', 'no node could be reached'],
  turn: ['overloaded', 'too many statements wait for the cluster'],
  nodes: ['unanswered', 'no node answered'],
};

/** The course of a statement up to its end. */
export class StatementCourse {
  step: StatementStep = 'connection';
  #isOver = false;
  #listener: (() => void) | undefined;

  /** Calls the listener when the time ends, at once if it has ended. */
  readonly whenOver: WhenGone = (listener) => {
    if (this.#isOver) listener();
    else this.#listener = listener;
  };

  /** @throws CassandraFailure where the time has ended: nobody waits for the statement any more */
  check(): void {
    if (this.#isOver) throw new CassandraFailure('overloaded', 'the time of the statement is over');
  }

  end(limitMs: number): CassandraFailure {
    this.#isOver = true;
    this.#listener?.();
    const [kind, problem] = outcomes[this.step];
    return new CassandraFailure(kind, `${problem} within ${limitMs} ms`);
  }
}

/**
 * Resolves or rejects as the work does. When the time is over, it rejects with what is known; the work may continue.
 * @throws CassandraFailure
 */
export function withinTime<Result>(
  limitMs: number,
  work: (course: StatementCourse) => Promise<Result>,
): Promise<Result> {
  // Without `Promise.race`, which makes five promises more, for each statement.
  return new Promise((resolve, reject) => {
    const course = new StatementCourse();
    const timer = setTimeout(() => reject(course.end(limitMs)), limitMs);
    work(course).then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
