// What is known of an engine without opening it: the configuration, commands and the console ask it.

/** What an engine can do. */
export interface EngineCapabilities {
  /** The storage has users, whose credentials requests can carry in place of the token. */
  readonly hasUsers: boolean;
  /** Several processes can use the storage at the same time (`--workers`). */
  readonly hasWorkers: boolean;
}

export interface EngineDescription {
  /** Its part of the help of `--engine`. */
  readonly help: string;
  readonly capabilities: EngineCapabilities;
  /** The name of the file of its rows, in the data directory and in backups; absent if the rows are in a cluster. */
  readonly rowsFile?: string;
  /** Options that it needs, by their members of `Config`, and what to do if one has no value. */
  readonly needs: Readonly<Record<string, string>>;
}
