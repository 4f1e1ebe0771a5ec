// Keeps the engine of the thread for large requests at the schema that the engine of the main thread has acknowledged.
import type { Schema } from '../../../schema/keyspace.js';
import type { SchemaHost } from '../change-host.js';
import type { SchemaHolder } from './schema-holder.js';

/** Counts the states of the schema that an engine has had, and follows those of its host. */
export class SchemaGenerations {
  readonly #holder: SchemaHolder;
  readonly #host: SchemaHost | undefined;
  /** Of the host, when the schema was last read because of it. */
  #hostCount = 0;
  #count = 0;
  #counted: Schema | undefined;

  /** `host`: undefined for the engine of the main thread. */
  constructor(holder: SchemaHolder, host: SchemaHost | undefined) {
    this.#holder = holder;
    this.#host = host;
  }

  /** The number of a state of the own schema, the present one. */
  countOf(schema: Schema): number {
    if (schema !== this.#counted) this.#count += 1;
    this.#counted = schema;
    return this.#count;
  }

  /** Resolves when what the host has acknowledged is known here. Rejects as a load of the schema does. */
  async follow(afterChanges: boolean): Promise<void> {
    const count = await this.#host?.schemaGeneration({ afterChanges });
    if (count !== undefined) await this.followTo(count);
  }

  /** As `follow`, where the number of the host is already known. */
  async followTo(count: number): Promise<void> {
    if (count === this.#hostCount) return;
    await this.#holder.load(undefined);
    this.#hostCount = count;
  }
}
