// findOneAndUpdate, findOneAndReplace and findOneAndDelete (wire: the commands of the same names).
import {
  isJsonObject,
  type JsonObject,
  type JsonText,
  stringifyJson,
} from '../../../foundation/json/json-value.js';
import { type DocumentColumns, fromColumns } from '../../documents/document-columns.js';
import type { DocumentId } from '../../documents/document-id.js';
import { project } from '../../documents/document-projection.js';
import type { IdSource } from '../../documents/new-document-id.js';
import { readDocument } from '../../documents/read-document.js';
import { structureMismatch } from '../../errors/request-problems.js';
import { collectionColumns } from '../../schema/collection.js';
import { documentRules } from '../../schema/document-rules.js';
import { collectionCommand } from '../command.js';
import { textToEmbed } from '../embed-texts.js';
import type { Reply } from '../reply.js';
import { anything, flag, object, optionalChoice, options, type Shape } from '../shape.js';
import { changeFirst } from './change-documents.js';
import { type DocumentRead, parseDocumentRead, readWithVector, textsOfRead } from './document-read.js';
import { idSourceOf } from './new-id.js';
import { filterClause, requiredValue } from './shapes.js';
import { storedVectors } from './stored-vectors.js';
import { storedForUpdate, withPlanVectors, withSearch } from './update.js';
import { parseUpdateClause, textsOfUpdate } from './update-clause.js';
import { type ChangeResult, changeOrInsert, changeStatus } from './upsert.js';
import { textToVectorize, withVector } from './vectorized-document.js';

const readShapes = {
  filter: filterClause,
  projection: anything('an object of paths and 1 or 0'),
  sort: anything('as for find'),
};
const changeOptions = options({
  upsert: flag,
  returnDocument: optionalChoice<'before' | 'after'>(['before', 'after']),
});

export const findOneAndUpdate = collectionCommand({
  name: 'findOneAndUpdate',
  help: 'Changes the first document that matches, in the order of the sort, and returns it as it was before, or with `returnDocument` "after".',
  kind: 'write',
  shape: object({
    ...readShapes,
    update: requiredValue('an object of update operators'),
    options: changeOptions,
  }),
  plan: (command, context) => {
    const { collection } = context;
    const { filter, projection, sort, update, options: given } = command;
    const read = parseDocumentRead({ filter, projection, sort }, collection);
    const clause = parseUpdateClause(update, context);
    return { read, clause, upsert: given.upsert, wants: imageOf(given), command };
  },
  textsToEmbed: ({ read, clause }) => [...textsOfRead(read), ...textsOfUpdate(clause, read.collection)],
  storedVectors: (plan, engine, search) => storedForUpdate(withSearch(plan, search), 1, engine),
  withEmbeddings: withPlanVectors,
  execute: ({ read, clause, upsert, wants, command }, engine) =>
    changeOrInsert({ read, change: clause.change, wants, upsert, ids: clause.ids, command }, engine),
  respond: (result, { read, wants }) => respondChanged(result, read, wants),
});

/** Which image of the document is returned. */
function imageOf({ returnDocument }: { readonly returnDocument: 'before' | 'after' | undefined }) {
  return returnDocument ?? 'before';
}

const replacementShape: Shape<JsonObject> = {
  wanted: 'an object: the new document',
  read(json, at, problems) {
    const found = requiredValue('').read(json, at, problems);
    if (found === null) return new Map();
    if (!isJsonObject(found)) throw structureMismatch(at, 'an object', found, '{"name": "Ada"}');
    return found;
  },
};

interface ReplacePlan {
  readonly read: DocumentRead;
  /** With its vector, without its id. */
  readonly replacement: JsonObject;
  /** The id in the replacement. */
  readonly id: DocumentId | undefined;
  readonly upsert: boolean;
  readonly wants: 'before' | 'after';
  readonly ids: IdSource;
  readonly command: object;
}

export const findOneAndReplace = collectionCommand({
  name: 'findOneAndReplace',
  help: 'Replaces the first document that matches, in the order of the sort; it keeps its `_id`.',
  kind: 'write',
  shape: object({ ...readShapes, replacement: replacementShape, options: changeOptions }),
  plan: (command, context): ReplacePlan => {
    const { collection } = context;
    const { filter, projection, sort, replacement, options: given } = command;
    const read = parseDocumentRead({ filter, projection, sort }, collection);
    // Checked also if nothing matches.
    const { id } = readDocument(replacement, documentRules(collection));
    const content = new Map([...replacement].filter(([name]) => name !== '_id'));
    textToVectorize(content, collection);
    const wants = imageOf(given);
    return { read, replacement: content, id, upsert: given.upsert, wants, ids: idSourceOf(context), command };
  },
  textsToEmbed: ({ read, replacement }) => {
    const { vector } = collectionColumns(read.collection);
    const text = textToVectorize(replacement, read.collection);
    const ofReplacement =
      text === undefined || vector === undefined ? [] : [textToEmbed(vector, text, 'passage')];
    return [...textsOfRead(read), ...ofReplacement];
  },
  storedVectors: (plan, engine, search) => {
    const { read, replacement, command } = withSearch(plan, search);
    const text = textToVectorize(replacement, read.collection);
    return storedVectors(read, text === undefined ? [] : [text], { limit: 1, command }, engine);
  },
  withEmbeddings: (plan, vectors) => {
    const ofRead = textsOfRead(plan.read).length;
    const vector = vectors[ofRead];
    return {
      ...plan,
      read: readWithVector(plan.read, ofRead === 0 ? undefined : vectors[0]),
      replacement: withVector(plan.replacement, vector),
    };
  },
  execute: ({ read, replacement, id, upsert, wants, ids, command }, engine) => {
    const change = {
      kind: 'replace',
      replacement: withVector(replacement, undefined),
      id: id?.json,
    } as const;
    return changeOrInsert({ read, change, wants, upsert, ids, command }, engine);
  },
  respond: (result, { read, wants }) => respondChanged(result, read, wants),
});

export const findOneAndDelete = collectionCommand({
  name: 'findOneAndDelete',
  help: 'Deletes the first document that matches, in the order of the sort, and returns it.',
  kind: 'write',
  removes: true,
  shape: object(readShapes),
  plan: (command, { collection }) => ({ read: parseDocumentRead(command, collection), command }),
  textsToEmbed: ({ read }) => textsOfRead(read),
  withEmbeddings: (plan, [vector]) => ({ ...plan, read: readWithVector(plan.read, vector) }),
  execute: ({ read, command }, engine) => changeFirst(read, { kind: 'delete' }, 'before', engine, command),
  respond: (deleted, { read }) => ({
    data: `{"document":${shownImage(deleted?.image, read)}}`,
    status: [['deletedCount', deleted === undefined ? '0' : '1']],
  }),
});

function respondChanged(result: ChangeResult, read: DocumentRead, wants: 'before' | 'after'): Reply {
  const image =
    result.kind === 'found'
      ? result.image
      : result.kind === 'inserted' && wants === 'after'
        ? result.document
        : undefined;
  return { data: `{"document":${shownImage(image, read)}}`, status: changeStatus(result) };
}

function shownImage(image: DocumentColumns | undefined, { projection }: DocumentRead): JsonText {
  if (image === undefined) return 'null';
  return projection.isPlain ? image.text : stringifyJson(project(projection, fromColumns(image)));
}
