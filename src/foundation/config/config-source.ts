// What the configuration is read from, and what one source gave.

/** A value as one source gave it. */
export interface GivenValue {
  /** As messages name it: `--port`, `COLONNADE_PORT`, `"port" in conf.json`. */
  readonly origin: string;
  readonly text: string;
}

/** What one source gave, by the key of the option, with what is wrong with the source itself. */
export interface SourceReading {
  readonly values: ReadonlyMap<string, GivenValue>;
  readonly problems: readonly string[];
}

/** Where the process keeps what the configuration is read from. */
export interface ConfigSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Text of a file, UTF-8. @throws when it cannot be read */
  readFile(path: string): string;
}
