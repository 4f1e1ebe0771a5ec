// The sources of the configuration, and the result of reading one.

/** A value from one source. */
export interface GivenValue {
  /** The name of the source in messages: `--port`, `COLONNADE_PORT`, `"port" in conf.json`. */
  readonly origin: string;
  readonly text: string;
}

/** The values of one source, by the key of the option, and the problems of the source itself. */
export interface SourceReading {
  readonly values: ReadonlyMap<string, GivenValue>;
  readonly problems: readonly string[];
}

/** The inputs from which the configuration is read. */
export interface ConfigSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Text of a file, UTF-8. @throws Error when it cannot be read */
  readFile(path: string): string;
}
