// updateOne and updateMany on a collection (wire: updateOne, updateMany of documents).
import type { Engine } from '../../engine/engine.js';
import type { ApiError } from '../../errors/api-error.js';
import {
  type PagedQuery,
  type PageStateKey,
  readPageState,
  refusedPageState,
  writePageState,
} from '../../query/page-state.js';
import { pageRows } from '../../query/read.js';
import { OutdatedPosition } from '../../query/row-order.js';
import { collectionCommand } from '../command.js';
import { givenPageState, pageStateFields } from '../find-options.js';
import type { Reply } from '../reply.js';
import { anything, flag, object, options } from '../shape.js';
import { documentWrites, keysPage } from './change-documents.js';
import { type DocumentRead, parseDocumentRead, readWithVector, textsOfRead } from './document-read.js';
import { filterClause, requiredValue } from './shapes.js';
import { storedVectors } from './stored-vectors.js';
import { parseUpdateClause, textsOfUpdate, type UpdateClause, updateWithVectors } from './update-clause.js';
import { changeOrInsert, changeStatus } from './upsert.js';

/** updateOne on a collection. */
export const updateOneDocument = collectionCommand({
  name: 'updateOne',
  help: 'Changes the first document that matches, in the order of the sort. With `upsert`, a document is inserted if none matches.',
  kind: 'write',
  shape: object({
    filter: filterClause,
    sort: anything('as for find'),
    update: requiredValue('an object of update operators'),
    options: options({ upsert: flag }),
  }),
  plan: (command, context) => {
    const { collection } = context;
    const { filter, sort, update, options: given } = command;
    const read = parseDocumentRead({ filter, sort }, collection);
    return { read, clause: parseUpdateClause(update, context), upsert: given.upsert, command };
  },
  textsToEmbed: ({ read, clause }) => [...textsOfRead(read), ...textsOfUpdate(clause, read.collection)],
  storedVectors: (plan, engine, search) => storedForUpdate(withSearch(plan, search), 1, engine),
  withEmbeddings: withPlanVectors,
  execute: ({ read, clause, upsert, command }, engine) =>
    changeOrInsert({ read, change: clause.change, wants: 'none', upsert, ids: clause.ids, command }, engine),
  respond: (result) => ({ status: changeStatus(result) }),
});

/** The plan whose read searches by this vector, if it searches by a text. */
export function withSearch<Plan extends { readonly read: DocumentRead }>(
  plan: Plan,
  search: Float32Array | undefined,
): Plan {
  return search === undefined ? plan : { ...plan, read: readWithVector(plan.read, search) };
}

/** The vectors of texts of an update that the documents which it changes have already. */
export function storedForUpdate(
  plan: { readonly read: DocumentRead; readonly clause: UpdateClause; readonly command: object },
  limit: number,
  engine: Engine,
): Promise<ReadonlyMap<string, Float32Array>> {
  const { read, clause, command } = plan;
  const texts = textsOfUpdate(clause, read.collection).map(({ text }) => text);
  return storedVectors(read, texts, { limit, command }, engine);
}

/** The plan with the vectors of its sort and of its update, in this order. */
export function withPlanVectors<Plan extends { readonly read: DocumentRead; readonly clause: UpdateClause }>(
  plan: Plan,
  vectors: readonly Float32Array[],
): Plan {
  const ofRead = textsOfRead(plan.read).length;
  return {
    ...plan,
    read: readWithVector(plan.read, ofRead === 0 ? undefined : vectors[0]),
    clause: updateWithVectors(plan.clause, vectors.slice(ofRead)),
  };
}

interface ManyPlan {
  readonly read: DocumentRead;
  readonly clause: UpdateClause;
  readonly upsert: boolean;
  readonly query: PagedQuery;
  readonly pageState: string;
  readonly pageStateKey: PageStateKey;
  readonly command: object;
}

interface ManyOutcome {
  readonly status: NonNullable<Reply['status']>;
  readonly errors: readonly ApiError[];
}

/** updateMany on a collection. */
export const updateManyDocuments = collectionCommand({
  name: 'updateMany',
  help: `Changes up to ${pageRows} documents that match; \`moreData\` says that there are more: send the command again with \`pageState\`.`,
  kind: 'write',
  shape: object({
    filter: filterClause,
    update: requiredValue('an object of update operators'),
    options: options({ upsert: flag, ...pageStateFields }),
  }),
  plan: (command, context): ManyPlan => {
    const { collection, pageStateKey } = context;
    const { filter, update, options: given } = command;
    const pageState = givenPageState(given);
    const query: PagedQuery = { table: collection, filter, order: null };
    const read = parseDocumentRead({ filter }, collection);
    const clause = parseUpdateClause(update, context);
    return { read, clause, upsert: given.upsert, query, pageState, pageStateKey, command };
  },
  textsToEmbed: ({ read, clause }) => textsOfUpdate(clause, read.collection),
  storedVectors: (plan, engine) => storedForUpdate(plan, pageRows, engine),
  withEmbeddings: withPlanVectors,
  execute: async (plan, engine): Promise<ManyOutcome> => {
    const { read, clause, upsert, query, pageState, pageStateKey, command } = plan;
    const { collection, filter } = read;
    const state = pageState === '' ? undefined : readPageState(pageStateKey, query, pageState);
    const after = state?.position ?? null;
    const window = { limit: pageRows, after, kind: 'changing', command } as const;
    const { keys, next } = await keysPage(read, window, engine).catch((error: unknown) => {
      throw error instanceof OutdatedPosition ? refusedPageState(pageState) : error;
    });
    if (keys.length === 0 && upsert && state === undefined) {
      const { change, ids } = clause;
      const one = { read, change, wants: 'none', upsert, ids, command } as const;
      return { status: changeStatus(await changeOrInsert(one, engine)), errors: [] };
    }
    if (keys.length === 0) return { status: counts(0, 0), errors: [] };
    const { change } = clause;
    const changes = { collection, keys, filter: filter.documentFilter, change, wants: 'none' } as const;
    const { states, failure } = await documentWrites(engine).change(changes);
    const modified = states.filter((each) => each === 'changed').length;
    const status = counts(states.length, modified);
    if (failure !== undefined) return { status, errors: [failure] };
    if (next === null) return { status, errors: [] };
    const nextState = writePageState(pageStateKey, query, { position: next, remaining: null });
    const more = [
      ['moreData', 'true'],
      ['nextPageState', JSON.stringify(nextState)],
    ] as const;
    return { status: [...status, ...more], errors: [] };
  },
  respond: ({ status, errors }) => (errors.length === 0 ? { status } : { status, errors }),
});

function counts(matched: number, modified: number): NonNullable<Reply['status']> {
  return [
    ['matchedCount', String(matched)],
    ['modifiedCount', String(modified)],
  ];
}
