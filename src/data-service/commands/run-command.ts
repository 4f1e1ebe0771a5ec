// Runs every command: find its target and the command, parse, plan, execute, respond.
import { isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { ValueMismatch } from '../column-types/column-type.js';
import type { Dialect } from '../column-types/dialect.js';
import type { ReadHeader } from '../embedding/find-credential.js';
import { toCommandError } from '../engine/client-failure.js';
import type { Engine } from '../engine/engine.js';
import { EngineError } from '../engine/engine-error.js';
import { planAndExecute } from '../engine/plan-and-execute.js';
import { ApiError, ApiErrors, apiError } from '../errors/api-error.js';
import { structureMismatch } from '../errors/request-problems.js';
import type { PageStateKey } from '../query/page-state.js';
import { withSearchedLimit } from '../query/searched-texts.js';
import { isCollection, namesOf } from '../schema/collection.js';
import type { CheckEmbeddingService } from '../schema/embedding-service.js';
import { type Keyspace, refuseReserved, type Schema } from '../schema/keyspace.js';
import type { Table } from '../schema/table.js';
import type { Command, Target } from './command.js';
import { CutsByModel } from './cuts-by-model.js';
import type { Embedder, EmbedTexts, TextToEmbed } from './embed-texts.js';
import type { Reranker } from './rank-documents.js';
import { type CommandOffer, commandsFor, documentCommands, tableCommands, thingsOf } from './registry.js';
import type { Reply } from './reply.js';
import { readPayload } from './shape.js';

/** What running a command needs in addition to the request. */
export interface RunCommandOptions {
  readonly engine: Engine;
  readonly dialect: Dialect;
  readonly pageStateKey: PageStateKey;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  readonly checkEmbeddingService: CheckEmbeddingService;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A random UUID. */
  readonly newId: () => string;
  readonly offer: CommandOffer;
  /** Whether commands that do not only read are refused. Absent: no. */
  readonly onlyReads?: boolean;
  /** Reports an unexpected error of the server and returns the client's error for it. */
  readonly fault: (error: unknown, address: Address) => ApiError;
}

/** Where a command was sent: the names in its path, decoded. */
export interface Address {
  readonly keyspace?: string;
  readonly table?: string;
}

const levels: Readonly<Record<Target, string>> = {
  database: 'General Command',
  keyspace: 'Keyspace Command',
  table: 'Collection Command',
  collection: 'Collection Command',
};
/** The paths of commands of a level. */
const paths: readonly (readonly [target: Target, path: string])[] = [
  ['database', '/v1'],
  ['keyspace', '/v1/{keyspace}'],
  ['table', '/v1/{keyspace}/{table}'],
  ['collection', '/v1/{keyspace}/{collection}'],
];
const noSchema: Schema = { keyspaces: new Map() };
/** The status of a schema command that failed. */
const notOk = [['ok', '0']] as const;

/** What decides which commands a server offers. */
export interface OfferOptions {
  readonly engine: Engine;
  readonly dialect: Dialect;
  /** Whether collections are offered, if the engine has them. Absent: yes. */
  readonly collections?: boolean;
  /** Whether the commands of the operations port are offered. Absent: no. */
  readonly isForOperators?: boolean;
}

/** What a server offers, by its engine. */
export function offerOf({
  dialect,
  engine,
  collections = true,
  isForOperators = false,
}: OfferOptions): CommandOffer {
  return {
    dialect,
    isForOperators,
    hasCollections: collections && engine.documents !== undefined,
  };
}

/** The result of a request. */
export interface Answer {
  /** Undefined if none was recognised. */
  readonly command: Command | undefined;
  readonly reply: Reply;
}

/**
 * Runs the command of a body. `header` returns the headers of its request. Every error is in the reply, except an
 * EngineError `large`, which is thrown: nothing was done, and the command must run on the thread for large requests.
 * `hasOther`: plans that take long are left to that thread.
 */
export async function runCommand(
  body: JsonValue,
  address: Address,
  header: ReadHeader,
  options: RunCommandOptions,
  hasOther = false,
): Promise<Answer> {
  const { engine, embedder, offer } = options;
  const leave = hasOther ? leaveToOther : undefined;
  let command: Command | undefined;
  try {
    const [name, payload] = readBody(body);
    const schema = engine.readSchema();
    const found = findTarget(address, schema instanceof Promise ? await schema : schema);
    const known = commandsFor(found.target, offer).get(name) ?? refuseCommand(name, found, address, options);
    command = known;
    if (options.onlyReads === true && known.kind !== 'read' && known.kind !== 'list')
      throw apiError('security', 'COMMAND_NOT_PERMITTED', { command: name });
    const request = readPayload(known.shape, payload);
    let embedTexts: EmbedTexts | undefined;
    let cuts = known.passagesToRank === undefined ? undefined : new CutsByModel();
    const makePlan = (present: Schema) => {
      const now = present === found.schema ? found : findTarget(address, present);
      refuseMissing(now, address, offer);
      if (now.target !== found.target)
        throw new EngineError('schemaChanged', 'the name is that of something else');
      const plan = withSearchedLimit(leave, planOf, known, request, contextOf(options, now));
      const texts = known.textsToEmbed?.(plan) ?? [];
      if (texts.length === 0) return plan;
      // One for all plans of the command: what was embedded for an earlier plan is not embedded again.
      embedTexts ??= embedder.embedTextsFor(header);
      cuts ??= new CutsByModel();
      return embedded(known, plan, texts, { embedTexts, engine, cuts });
    };
    const steps = cuts === undefined ? known : rankedSteps(known, header, options, cuts);
    const reply = await planAndExecute(engine, found.schema, makePlan, steps);
    return answerOf(known, cuts === undefined ? reply : withWarnings(reply, cuts.warnings));
  } catch (error) {
    if (error instanceof EngineError && error.kind === 'large') throw error;
    const errors = errorsOf(error, address, options);
    if (isSchemaCommand(body, address, offer)) return answerOf(command, { status: notOk, errors });
    return answerOf(command, { errors });
  }
}

function planOf(command: Command, request: unknown, context: ReturnType<typeof contextOf>): unknown {
  return command.plan(request, context);
}

function leaveToOther(): EngineError {
  return new EngineError('large', 'the texts to search for take long to split');
}

/**
 * Whether the command of a body changes the schema. The path alone decides: of the targets of `/v1/{keyspace}/{table}`
 * only tables have such commands.
 */
export function isSchemaCommand(body: JsonValue, address: Address, offer: CommandOffer): boolean {
  if (!isJsonObject(body)) return false;
  const [name = ''] = body.keys();
  return commandsFor(findTarget(address, noSchema).target, offer).get(name)?.kind === 'schema';
}

function readBody(body: JsonValue): readonly [name: string, payload: JsonValue] {
  if (!isJsonObject(body))
    throw structureMismatch('The body', 'an object with one command', body, '{"find": {}}');
  if (body.size === 1) for (const member of body) return member;
  throw structureMismatch('The body', 'an object with one command', body, '{"find": {}}');
}

/** The names of the commands of a target, without those that are known but always refused here. */
function usableCommands(target: Target, offer: CommandOffer): readonly string[] {
  const usable = [...commandsFor(target, offer).values()].filter(
    ({ refusedIn }) => refusedIn !== offer.dialect,
  );
  return usable.map(({ name }) => name);
}

function refuseCommand(
  name: string,
  found: FoundTarget,
  address: Address,
  options: RunCommandOptions,
): never {
  const { target } = found;
  const offer = { ...options.offer, isForOperators: false };
  const known = usableCommands(target, offer);
  if (target === 'collection' && tableCommands.includes(name)) {
    const { keyspace = '', table = '' } = address;
    throw apiError('request', 'UNSUPPORTED_COLLECTION_COMMAND', {
      command: name,
      keyspace,
      collection: table,
      collectionCommands: known,
    });
  }
  if (target === 'table' && documentCommands.includes(name)) {
    refuseMissing(found, address, offer);
    throw apiError('request', 'UNSUPPORTED_TABLE_COMMAND', {
      command: name,
      keyspace: address.keyspace ?? '',
      table: address.table ?? '',
      tableCommands: known,
    });
  }
  const [, path] = paths.find(([other]) => commandsFor(other, offer).has(name)) ?? [];
  const notOffered = path === undefined ? thingsOf(name) : undefined;
  throw apiError('request', 'COMMAND_UNKNOWN', {
    command: name,
    level: levels[target],
    known,
    path,
    notOffered,
  });
}

/** What every plan gets. One literal: copying the members of another object takes longer, for each request. */
function contextOf(options: RunCommandOptions, { target, schema, keyspace, table }: FoundTarget) {
  const { dialect, offer, pageStateKey, checkEmbeddingService, embedder, reranker, clock, newId } = options;
  return {
    schema,
    keyspace,
    table,
    collection: target === 'collection' ? table : undefined,
    dialect,
    pageStateKey,
    catalogue: embedder.catalogue,
    checkEmbeddingService,
    rerankingCatalogue: reranker.catalogue,
    rerankers: reranker.services,
    hasCollections: offer.hasCollections,
    clock,
    newId,
  };
}

/** The steps of a command whose outcome is ranked before its reply. */
function rankedSteps(
  command: Command,
  header: ReadHeader,
  { reranker }: RunCommandOptions,
  cuts: CutsByModel,
): Pick<Command, 'execute' | 'respond'> {
  const rankPassages = reranker.rankPassagesFor(header);
  return {
    execute: async (plan, engine) => {
      const outcome = await command.execute(plan, engine);
      const wanted = command.passagesToRank?.(outcome, plan);
      if (wanted === undefined) return outcome;
      const ranked = await rankPassages(wanted);
      cuts.addAll(ranked.cuts);
      return command.withScores?.(outcome, ranked.scores, plan) ?? outcome;
    },
    respond: (outcome, plan) => command.respond(outcome, plan),
  };
}

/** The plan with vectors for its texts; nothing is stored before all vectors are made. */
async function embedded(
  command: Command,
  plan: unknown,
  texts: readonly TextToEmbed[],
  {
    embedTexts,
    engine,
    cuts,
  }: { readonly embedTexts: EmbedTexts; readonly engine: Engine; readonly cuts: CutsByModel },
): Promise<unknown> {
  const known = new Map<TextToEmbed, Float32Array | undefined>();
  const embed = async (missing: readonly TextToEmbed[]) => {
    const made = await embedTexts(missing);
    cuts.addAll(made.cuts);
    for (const [at, each] of missing.entries()) known.set(each, made.vectors[at]);
  };
  const passages = texts.filter(({ purpose }) => purpose === 'passage');
  if (command.storedVectors !== undefined && passages.length > 0) {
    // A search decides which document is read, so its text becomes a vector before the texts to store.
    const query = texts.find(({ purpose }) => purpose === 'query');
    if (query !== undefined) await embed([query]);
    const stored = await command.storedVectors(plan, engine, query && known.get(query));
    for (const each of passages) if (stored.has(each.text)) known.set(each, stored.get(each.text));
  }
  const missing = texts.filter((each) => !known.has(each));
  if (missing.length > 0) await embed(missing);
  const vectors = texts.flatMap((each) => known.get(each) ?? []);
  return command.withEmbeddings?.(plan, vectors) ?? plan;
}

/** The reply of a deprecated command has a warning. */
function answerOf(command: Command | undefined, reply: Reply): Answer {
  const isDeprecated = command?.replacement !== undefined;
  return { command, reply: isDeprecated ? withWarnings(reply, deprecation(command)) : reply };
}

function withWarnings(reply: Reply, more: readonly ApiError[]): Reply {
  if (more.length === 0) return reply;
  return { ...reply, warnings: [...(reply.warnings ?? []), ...more] };
}

function deprecation({ name, replacement = '' }: Command): readonly ApiError[] {
  return [apiError('warning', 'DEPRECATED_COMMAND', { command: name, replacement })];
}

function errorsOf(error: unknown, address: Address, { fault }: RunCommandOptions): readonly ApiError[] {
  if (error instanceof ApiErrors) return error.errors;
  if (error instanceof ApiError) return [error];
  if (error instanceof EngineError) return [toCommandError(error)];
  // Other clients of a cluster store numbers with more digits than replies have.
  if (error instanceof ValueMismatch && error.kind === 'limit')
    return [apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', { problem: error.message })];
  return [fault(error, address)];
}

/** What an address names in a schema. */
interface FoundTarget {
  readonly target: Target;
  readonly schema: Schema;
  /** Undefined if the address names none, or none that exists. */
  readonly keyspace?: Keyspace | undefined;
  readonly table?: Table | undefined;
}

/** A name that does not exist counts as that of a table. */
function findTarget(address: Address, schema: Schema): FoundTarget {
  if (address.keyspace === undefined) return { target: 'database', schema };
  const keyspace = schema.keyspaces.get(address.keyspace);
  if (address.table === undefined) return { target: 'keyspace', schema, keyspace };
  const table = keyspace?.tables.get(address.table);
  const target = table !== undefined && isCollection(table) ? 'collection' : 'table';
  return { target, schema, keyspace, table };
}

/** Refuses a keyspace or table that does not exist. */
function refuseMissing(
  { schema, keyspace, table }: FoundTarget,
  address: Address,
  offer: CommandOffer,
): void {
  if (address.keyspace === undefined) return;
  if (keyspace === undefined) {
    const existing = [...schema.keyspaces.keys()];
    throw apiError('schema', 'UNKNOWN_KEYSPACE', { keyspace: address.keyspace, existing });
  }
  if (keyspace.problem !== undefined)
    throw apiError('database', 'UNAVAILABLE_DATABASE', { problem: keyspace.problem });
  if (address.table === undefined || table !== undefined) return;
  refuseReserved(keyspace, address.table);
  throw apiError('schema', 'UNKNOWN_COLLECTION_OR_TABLE', {
    keyspace: keyspace.name,
    table: address.table,
    existing: namesOf(keyspace),
    hasCollections: offer.hasCollections,
    isToDelete: false,
  });
}
