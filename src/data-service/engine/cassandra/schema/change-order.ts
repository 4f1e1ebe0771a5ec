// The order of the changes of the schema: those of one keyspace come one after another.

/** Stands for every keyspace in the order of changes. */
const anyKeyspace = '';

const noResult = () => undefined;

/** The order of the changes of the schema by this process, for all users. */
export class ChangeOrder {
  /** Each settles with the last change of its keyspace. */
  readonly #queues = new Map<string, Promise<void>>();

  /** Runs a change behind those of its keyspace. Rejects as the change does. */
  run<Result>(keyspace: string, change: () => Promise<Result>): Promise<Result> {
    return this.#runBehind([this.#queues.get(keyspace), this.#queues.get(anyKeyspace)], keyspace, change);
  }

  /** Runs a change of unknown keyspaces behind all others. */
  runBehindAll<Result>(change: () => Promise<Result>): Promise<Result> {
    return this.#runBehind([...this.#queues.values()], anyKeyspace, change);
  }

  #runBehind<Result>(
    earlier: readonly (Promise<void> | undefined)[],
    keyspace: string,
    change: () => Promise<Result>,
  ): Promise<Result> {
    const done = Promise.all(earlier).then(change);
    const settled: Promise<void> = done
      .then(noResult, noResult) // the caller of `done` gets the failure
      .then(() => {
        if (this.#queues.get(keyspace) === settled) this.#queues.delete(keyspace);
      });
    this.#queues.set(keyspace, settled);
    return done;
  }
}
