// deleteOne and deleteMany on a collection (wire: deleteOne, deleteMany of documents).
import type { ApiError } from '../../errors/api-error.js';
import { collectionCommand } from '../command.js';
import type { Reply } from '../reply.js';
import { anything, noOptions, object } from '../shape.js';
import { changeFirst, documentWrites, keysPage } from './change-documents.js';
import { parseDocumentRead, readWithVector, textsOfRead } from './document-read.js';
import { filterClause, requiredFilter } from './shapes.js';

/** The maximum number of documents that one deleteMany deletes. */
const mostDeleted = 20;

/** deleteOne on a collection. */
export const deleteOneDocument = collectionCommand({
  name: 'deleteOne',
  help: 'Deletes the first document that matches, in the order of the sort.',
  kind: 'write',
  removes: true,
  shape: object({ filter: requiredFilter, sort: anything('as for find'), options: noOptions('deleteOne') }),
  plan: (command, { collection }) => {
    const { filter, sort } = command;
    return { read: parseDocumentRead({ filter, sort }, collection), command };
  },
  textsToEmbed: ({ read }) => textsOfRead(read),
  withEmbeddings: (plan, [vector]) => ({ ...plan, read: readWithVector(plan.read, vector) }),
  execute: ({ read, command }, engine) => changeFirst(read, { kind: 'delete' }, 'none', engine, command),
  respond: (deleted) => ({ status: [['deletedCount', deleted === undefined ? '0' : '1']] }),
});

interface Deleted {
  readonly count: number;
  readonly hasMore: boolean;
  readonly errors: readonly ApiError[];
}

/** deleteMany on a collection. */
export const deleteManyDocuments = collectionCommand({
  name: 'deleteMany',
  help: `Deletes up to ${mostDeleted} documents that match; \`moreData\` says that more match: send the command again. Without a filter it deletes all documents, and \`deletedCount\` is -1: they are not counted.`,
  kind: 'write',
  removes: true,
  shape: object({ filter: filterClause, options: noOptions('deleteMany') }),
  plan: (command, { collection }) => {
    const { filter } = command;
    const isAll = filter === undefined || filter.size === 0;
    // Parsed also if all are deleted, for its errors.
    return { read: parseDocumentRead({ filter }, collection), isAll, command };
  },
  execute: async ({ read, isAll, command }, engine): Promise<Deleted> => {
    const { collection, filter } = read;
    const writes = documentWrites(engine);
    if (isAll) {
      await writes.deleteAll(collection);
      return { count: -1, hasMore: false, errors: [] };
    }
    const window = { limit: mostDeleted, kind: 'paged', command } as const;
    const { keys, next } = await keysPage(read, window, engine);
    if (keys.length === 0) return { count: 0, hasMore: false, errors: [] };
    const change = { kind: 'delete' } as const;
    const plan = { collection, keys, filter: filter.documentFilter, change, wants: 'none' as const };
    const { states, failure } = await writes.change(plan);
    const count = states.filter((state) => state === 'deleted').length;
    if (failure !== undefined) return { count, hasMore: true, errors: [failure] };
    return { count, hasMore: next !== null, errors: [] };
  },
  respond: ({ count, hasMore, errors }): Reply => ({
    status: [['deletedCount', String(count)], ...(hasMore ? [['moreData', 'true'] as const] : [])],
    ...(errors.length === 0 ? {} : { errors }),
  }),
});
