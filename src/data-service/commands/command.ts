// The interface of a command. `run-command.ts` calls its parts.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Dialect } from '../column-types/dialect.js';
import type { EmbeddingCatalogue, RerankingCatalogue } from '../embedding/catalogue.js';
import type { Rerankers } from '../embedding/rerankers.js';
import type { Engine } from '../engine/engine.js';
import type { PageStateKey } from '../query/page-state.js';
import type { Collection } from '../schema/collection.js';
import type { CheckEmbeddingService } from '../schema/embedding-service.js';
import type { Keyspace, Schema } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Table } from '../schema/table.js';
import type { TextToEmbed } from './embed-texts.js';
import type { PassagesToRank } from './rank-documents.js';
import { okReply, type Reply } from './reply.js';
import type { Shape } from './shape.js';

/** What a command is for: what its path names in the schema. The paths are `/v1`, `/v1/{keyspace}` and so on. */
export type Target = 'database' | 'keyspace' | 'table' | 'collection';

/** The input of every plan. */
export interface DatabaseContext {
  readonly schema: Schema;
  readonly dialect: Dialect;
  readonly pageStateKey: PageStateKey;
  readonly catalogue: EmbeddingCatalogue;
  readonly checkEmbeddingService: CheckEmbeddingService;
  readonly rerankingCatalogue: RerankingCatalogue;
  readonly rerankers: Rerankers;
  /** Whether the server offers collections. */
  readonly hasCollections: boolean;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A random UUID. */
  readonly newId: () => string;
}

/** The input of the plan of a command on a keyspace. */
export interface KeyspaceContext extends DatabaseContext {
  readonly keyspace: Keyspace;
}

/** The input of the plan of a command on a collection. */
export interface CollectionContext extends KeyspaceContext {
  readonly collection: Collection;
}

/** The input of the plan of a command on a table. */
export interface TableContext extends KeyspaceContext {
  readonly table: Table;
}

/** The parts that differ from command to command. Only `execute` waits; the others are pure. */
export interface CommandParts<Request, Plan, Outcome, Context> {
  /** Unique among the commands of its target; commands of other targets can have the same name. */
  readonly name: string;
  /** One line for the generated reference. */
  readonly help: string;
  /** What it does: reads or writes rows, changes the schema, or lists keyspaces, tables, indexes or providers. */
  readonly kind: 'read' | 'write' | 'schema' | 'list';
  /** The only dialect that has the command; absent: every dialect has it. */
  readonly dialect?: Dialect;
  /** What a server must have: without it the command is unknown. Absent: nothing. */
  readonly needs?: 'documents';
  /** The dialect in which the command has an error of its own, whatever was sent: no message lists it there. */
  readonly refusedIn?: Dialect;
  /** Whether it drops or deletes something whenever it succeeds: the console asks before it sends one. */
  readonly removes?: true;
  /** What it creates, changes or drops if it is not tables: a server without the command says that it has none. */
  readonly changes?: string;
  /** Set for a deprecated name: the command to use instead. Every reply then has a warning. */
  readonly replacement?: string;
  readonly shape: Shape<Request>;
  /** Makes every check, before anything is done.
   * @throws ApiError, ApiErrors */
  plan(request: Request, context: Context): Plan;
  /** The texts of a plan that have to become vectors before it is executed. */
  textsToEmbed?(plan: Plan): readonly TextToEmbed[];
  /**
   * Vectors of texts to store that documents have already, by text: they are not embedded. `search`: the vector of the
   * text that the plan searches by, undefined if it has none. Never rejects.
   */
  storedVectors?(
    plan: Plan,
    engine: Engine,
    search: Float32Array | undefined,
  ): Promise<ReadonlyMap<string, Float32Array>>;
  /** The plan with a vector for each of its texts, in their order. Makes every check of vectors.
   * @throws ApiError, ApiErrors */
  withEmbeddings?(plan: Plan, vectors: readonly Float32Array[]): Plan;
  /** Whether the plan does nothing, because the schema is as it is to be. Pure. Absent: no plan does nothing. */
  changesNothing?(plan: Plan): boolean;
  /** @throws EngineError, or an ApiError for problems that only the stored rows show */
  execute(plan: Plan, engine: Engine): Promise<Outcome>;
  /** The passages of an outcome that have to be ranked before the reply. */
  passagesToRank?(outcome: Outcome, plan: Plan): PassagesToRank;
  /** The outcome with a score for each of these passages, in their order. */
  withScores?(outcome: Outcome, scores: readonly number[], plan: Plan): Outcome;
  /** A failure of some rows is a normal outcome. */
  respond(outcome: Outcome, plan: Plan): Reply;
}

/** A command as `run-command.ts` and the reference use it. */
export interface Command extends CommandParts<unknown, unknown, unknown, unknown> {
  readonly target: Target;
}

/** The parts that commands have in common whose plan is a change of the schema; null changes nothing. */
export const changesSchema = {
  kind: 'schema',
  changesNothing: (plan: SchemaChange | null) => plan === null,
  execute: async (plan: SchemaChange | null, engine: Engine) => {
    if (plan !== null) await engine.changeSchema(plan);
  },
  respond: () => okReply,
} as const;

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

/** Declares a command of the path `/v1/{keyspace}/{collection}`. */
export function collectionCommand<Request, Plan, Outcome>(
  parts: CommandParts<Request, Plan, Outcome, CollectionContext>,
): Command {
  return { ...parts, target: 'collection', needs: 'documents' };
}

/** Declares a command of the path `/v1/{keyspace}/{table}`. */
export function tableCommand<Request, Plan, Outcome>(
  parts: CommandParts<Request, Plan, Outcome, TableContext>,
): Command {
  return { ...parts, target: 'table' };
}
