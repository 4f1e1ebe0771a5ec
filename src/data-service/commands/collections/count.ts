// countDocuments and estimatedDocumentCount.
import { collectionCommand } from '../command.js';
import { noOptions, object } from '../shape.js';
import { documentWrites, keysPage } from './change-documents.js';
import { parseDocumentRead } from './document-read.js';
import { filterClause } from './shapes.js';

/** Documents are counted up to here. */
const mostCounted = 1_000;

export const countDocuments = collectionCommand({
  name: 'countDocuments',
  help: `Counts the documents that match, up to ${mostCounted}; \`moreData\` says that there are more.`,
  kind: 'read',
  shape: object({ filter: filterClause, options: noOptions('countDocuments') }),
  plan: (command, { collection }) => ({
    read: parseDocumentRead({ filter: command.filter }, collection),
    command,
  }),
  execute: ({ read, command }, engine) =>
    keysPage(read, { limit: mostCounted, wantsPosition: true, command }, engine),
  respond: ({ keys, next }) => ({
    status: [['count', String(keys.length)], ...(next === null ? [] : [['moreData', 'true'] as const])],
  }),
});

export const estimatedDocumentCount = collectionCommand({
  name: 'estimatedDocumentCount',
  help: 'The number of documents: exact up to two million, else about right.',
  kind: 'read',
  shape: object({ options: noOptions('estimatedDocumentCount') }),
  plan: (_, { collection }) => collection,
  execute: (collection, engine) => documentWrites(engine).estimateCount(collection),
  respond: (count) => ({ status: [['count', String(count)]] }),
});
