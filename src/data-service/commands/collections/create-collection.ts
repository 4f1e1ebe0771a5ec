// createCollection (wire: createCollection).
import { apiError } from '../../errors/api-error.js';
import { type Collection, collectionTable, indexName, isCollection } from '../../schema/collection.js';
import { equalSettings } from '../../schema/describe-collection.js';
import { checkNewName } from '../../schema/identifier.js';
import { indexNamed, refuseReserved } from '../../schema/keyspace.js';
import { type ParsedSettings, parseCollectionSettings } from '../../schema/parse-collection-settings.js';
import type { SchemaChange } from '../../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from '../command.js';
import { anything, nonEmptyText, object, optionalText, type Shape } from '../shape.js';

/** A missing name has the error of one that is not supported, because the public API has that. */
const newName: Shape<string> = {
  wanted: nonEmptyText.wanted,
  read: (json, at, problems) => optionalText.read(json, at, problems) ?? '',
};

export const createCollection = keyspaceCommand({
  name: 'createCollection',
  help: 'Creates a collection for documents. It may exist with the same options.',
  ...changesSchema,
  needs: 'documents',
  changes: 'document collections',
  shape: object({
    name: newName,
    options: anything('an object with `defaultId`, `vector`, `indexing`, `lexical` and `rerank`'),
  }),
  plan: ({ name, options }, context): SchemaChange | null => {
    const { keyspace } = context;
    checkNewName('collection', name);
    refuseReserved(keyspace, name);
    const parsed = parseCollectionSettings(options, { ...context, ...context.rerankers });
    const existing = keyspace.tables.get(name);
    if (existing !== undefined) {
      if (!isCollection(existing))
        throw apiError('schema', 'EXISTING_TABLE_NOT_DATA_API_COLLECTION', { table: name });
      refuseDifferent(existing, parsed);
      return null;
    }
    for (const kind of ['vector', 'lexical'] as const) {
      const index = indexName(name, kind);
      if (parsed.settings[kind] !== undefined && indexNamed(keyspace, index) !== undefined)
        throw apiError('schema', 'EXISTING_INDEX_FOR_COLLECTION', {
          keyspace: keyspace.name,
          table: name,
          index,
        });
    }
    const definition = collectionTable(name, parsed.settings);
    return { kind: 'createTable', keyspace: keyspace.name, definition };
  },
});

/** Lexical and rerank that were not sent are those of the collection. */
function refuseDifferent({ name, collection }: Collection, { settings, given }: ParsedSettings): void {
  const { lexical, rerank, ...sent } = settings;
  const wantedLexical = given.lexical ? lexical : collection.lexical;
  const wantedRerank = given.rerank ? rerank : collection.rerank;
  const wanted = {
    ...sent,
    ...(wantedLexical === undefined ? {} : { lexical: wantedLexical }),
    ...(wantedRerank === undefined ? {} : { rerank: wantedRerank }),
  };
  if (!equalSettings(collection, wanted))
    throw apiError('schema', 'EXISTING_COLLECTION_DIFFERENT_SETTINGS', { collection: name });
}
