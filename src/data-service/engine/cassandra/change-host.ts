// What the engine of the main thread answers the engine of the thread for large requests about the schema.
import type { HostedThread, HostLink } from '../engine-module.js';

/** Asked for the state of the schema, so that another engine knows every change that was acknowledged. */
export interface SchemaHost {
  /** Another number for each state of the schema; `afterChanges`: waits for changes under way and includes them. */
  schemaGeneration(wanted: { readonly afterChanges: boolean }): Promise<number>;
}

/** A table by its names: plain data. */
export interface TableName {
  readonly keyspace: string;
  readonly name: string;
}

/** Which statements on rows a change of the schema blocks: reads that an index may serve, or writes. */
export type StatementKind = 'reads' | 'writes';

/** Asked by an engine that sends statements of its own: changes of the schema wait for them. */
export interface ChangeHost extends SchemaHost {
  /**
   * Asked before a statement; changes that block its kind wait until `ended` resolves. Resolves to the number of the
   * present state of the schema. Rejects with an EngineError: `schemaChanged` where a change blocks it.
   */
  admit(kind: StatementKind, table: TableName, ended: Promise<void>): Promise<number>;
  /** Whether a change of the table is under way, or was within the last milliseconds. */
  wasChanged(table: TableName, withinMs: number): Promise<boolean>;
}

/** A statement that the thread is about to send. */
export interface AdmittedStatement {
  readonly id: number;
  readonly kind: StatementKind;
  readonly table: TableName;
}

/** `ChangeHost` as calls between threads. */
export interface ChangeCalls extends SchemaHost {
  /** The statement ends with the call of `endStatement` with the same id, or with the thread. */
  admit(statement: AdmittedStatement): Promise<number>;
  endStatement(id: number): void;
  wasChanged(asked: { readonly table: TableName; readonly withinMs: number }): Promise<boolean>;
}

/** Answers the calls of a thread; its statements end at the latest with the thread. */
export function hostChanges(host: ChangeHost): HostedThread<ChangeCalls> {
  /** By the id of the statement: calls it ended. */
  const ends = new Map<number, () => void>();
  const end = (id: number) => {
    ends.get(id)?.();
    ends.delete(id);
  };
  const admit = ({ id, kind, table }: AdmittedStatement) => {
    const ended = new Promise<void>((resolve) => {
      ends.set(id, resolve);
    });
    return host.admit(kind, table, ended);
  };
  return {
    calls: {
      schemaGeneration: host.schemaGeneration,
      admit,
      endStatement: end,
      wasChanged: ({ table, withinMs }) => host.wasChanged(table, withinMs),
    },
    ended: () => {
      for (const id of [...ends.keys()]) end(id);
    },
  };
}

/** The host in another thread. */
export function changesOver(link: HostLink<ChangeCalls>): ChangeHost {
  let lastId = 0;
  return {
    schemaGeneration: (wanted) => link.call('schemaGeneration', wanted),
    admit: (kind, table, ended) => {
      lastId += 1;
      const id = lastId;
      void ended.then(() => link.notify('endStatement', id));
      return link.call('admit', { id, kind, table });
    },
    wasChanged: (table, withinMs) => link.call('wasChanged', { table, withinMs }),
  };
}
