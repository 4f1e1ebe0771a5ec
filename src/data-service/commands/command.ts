// A command: a few small parts in one file. The road they travel is `run-command.ts`.
import type { EmbeddingCatalogue } from '../embedding/catalogue.js';
import type { Engine } from '../engine/engine.js';
import type { PageStateKey } from '../query/page-state.js';
import type { Keyspace, Schema } from '../schema/keyspace.js';
import type { Table } from '../schema/table.js';
import type { CheckVectorizer } from '../schema/vectorizer.js';
import type { Reply } from './reply.js';
import type { Shape } from './shape.js';
import type { TextToEmbed } from './text-to-embed.js';

/** What a command is sent to: `/v1`, `/v1/{keyspace}` or `/v1/{keyspace}/{table}`. */
export type Target = 'database' | 'keyspace' | 'table';

/** How far a server goes beyond the specification: see `docs/differences.md`. */
export type Dialect = 'strict' | 'extended';

/** What every command is planned with. */
export interface DatabaseContext {
  readonly schema: Schema;
  readonly dialect: Dialect;
  readonly pageStateKey: PageStateKey;
  readonly catalogue: EmbeddingCatalogue;
  readonly checkVectorizer: CheckVectorizer;
}

/** What a command sent to a keyspace is planned with. */
export interface KeyspaceContext extends DatabaseContext {
  readonly keyspace: Keyspace;
}

/** What a command sent to a table is planned with. */
export interface TableContext extends KeyspaceContext {
  readonly table: Table;
}

/** The parts that differ from command to command. Only `execute` waits; the others are pure. */
export interface CommandParts<Request, Plan, Outcome, Context> {
  /** One of its own among the commands of the same target; those of other targets may share it. */
  readonly name: string;
  /** One line for the generated reference. */
  readonly help: string;
  /** What it does: reads or writes rows, changes the schema, or lists what there is beside rows. */
  readonly kind: 'read' | 'write' | 'schema' | 'list';
  /** Set for an old name: the command to use instead. Every reply then carries a warning. */
  readonly replacement?: string;
  readonly shape: Shape<Request>;
  /** Every check comes here, before anything is done.
   * @throws ApiError, ApiErrors */
  plan(request: Request, context: Context): Plan;
  /** The texts of a plan that have to become vectors before it is executed. */
  textsToEmbed?(plan: Plan): readonly TextToEmbed[];
  /** The plan with a vector for each of its texts, in their order. Every check of vectors comes here.
   * @throws ApiError, ApiErrors */
  withEmbeddings?(plan: Plan, vectors: readonly Float32Array[]): Plan;
  /** @throws EngineError, or an ApiError for what only the stored rows can tell */
  execute(plan: Plan, engine: Engine): Promise<Outcome>;
  /** A failure of some rows is a normal outcome. */
  respond(outcome: Outcome, plan: Plan): Reply;
}

/** A command as the road and the reference see it. */
export interface Command extends CommandParts<unknown, unknown, unknown, unknown> {
  readonly target: Target;
}

/** Declares a command of the path `/v1`. */
export function databaseCommand<Request, Plan, Outcome>(
  parts: CommandParts<Request, Plan, Outcome, DatabaseContext>,
): Command {
  return { ...parts, target: 'database' };
}

/** Declares a command of the path `/v1/{keyspace}`. */
export function keyspaceCommand<Request, Plan, Outcome>(
  parts: CommandParts<Request, Plan, Outcome, KeyspaceContext>,
): Command {
  return { ...parts, target: 'keyspace' };
}

/** Declares a command of the path `/v1/{keyspace}/{table}`. */
export function tableCommand<Request, Plan, Outcome>(
  parts: CommandParts<Request, Plan, Outcome, TableContext>,
): Command {
  return { ...parts, target: 'table' };
}
