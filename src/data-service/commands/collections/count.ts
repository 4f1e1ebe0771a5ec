// countDocuments and estimatedDocumentCount.
import { collectionCommand } from '../command.js';
import { countReply, estimateCount } from '../estimated-row-count.js';
import { noOptions, object } from '../shape.js';
import { keysPage } from './change-documents.js';
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
    keysPage(read, { limit: mostCounted, kind: 'paged', command }, engine),
  respond: ({ keys, next }) => countReply({ count: keys.length, hasMore: next !== null }),
});

export const estimatedDocumentCount = collectionCommand({
  name: 'estimatedDocumentCount',
  help: 'The number of documents: exact up to two million, else about right.',
  kind: 'read',
  shape: object({ options: noOptions('estimatedDocumentCount') }),
  plan: (command, { collection }) => ({ collection, command }),
  execute: ({ collection, command }, engine) => estimateCount(collection, command, engine),
  respond: countReply,
});
