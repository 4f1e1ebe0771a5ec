// Writes of documents: plans become work for the writer thread, and its results become outcomes.
import { type PackedError, unpackError } from '../../../../foundation/threads/crossing-error.js';
import type { DocumentChangeState } from '../../../documents/change-document.js';
import type { DocumentColumns } from '../../../documents/document-columns.js';
import { ApiError, apiError } from '../../../errors/api-error.js';
import { apiErrorForm } from '../../../errors/crossing-api-error.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertOutcome,
  DocumentInsertPlan,
} from '../../../query/document-write.js';
import { matchAll } from '../../../query/filter.js';
import type { Collection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import type { DocumentWrites } from '../../engine.js';
import { EngineError } from '../../engine-error.js';
import { deleteStatements } from '../statements/delete-statements.js';
import { clearEntriesStatement } from '../statements/entry-statements.js';
import type { WriteStatement } from '../statements/write-statements.js';
import { changeWork, type DocumentResult, type DocumentWork } from './document-work.js';

/** What writes of documents use. Both reject with an EngineError. */
export interface DocumentWriting {
  /** Runs a job of the writer thread; its result is of the kind of the work. */
  readonly writeDocuments: (collection: Table, work: DocumentWork) => Promise<DocumentResult>;
  readonly deleteAll: DocumentWrites['deleteAll'];
}

/**
 * Runs the plans that write documents, for the engine and its guests. Large documents are inserted and changed in
 * portions, each with a job of its own.
 */
export class DocumentChanges implements DocumentWrites {
  readonly #write: DocumentWriting['writeDocuments'];
  readonly deleteAll: DocumentWrites['deleteAll'];

  constructor({ writeDocuments, deleteAll }: DocumentWriting) {
    this.#write = writeDocuments;
    this.deleteAll = deleteAll;
  }

  async insert({
    collection,
    documents,
    isOrdered,
  }: DocumentInsertPlan): Promise<readonly DocumentInsertOutcome[]> {
    const states: DocumentInsertOutcome[] = [];
    do {
      const rest = states.length === 0 ? documents : documents.slice(states.length);
      try {
        const result = await this.#write(collection, { kind: 'insert', documents: rest, isOrdered });
        if (result.kind !== 'insert') throw new TypeError('the writer answered another kind of work');
        states.push(...result.states);
      } catch (error) {
        // Some documents are stored: the command must not be planned again, which would find that they exist.
        if (states.length === 0) throw error;
        states.push(...rest.map(() => failureOfRest(error, 'stored')));
      }
    } while (states.length < documents.length);
    return states;
  }

  async change(plan: DocumentChangePlan): Promise<DocumentChangeOutcome> {
    const { collection, keys } = plan;
    const work = changeWork(plan);
    const states: DocumentChangeState[] = [];
    const images: DocumentColumns[] = [];
    do {
      const rest = states.length === 0 ? work : { ...work, keys: keys.slice(states.length) };
      try {
        const result = await this.#write(collection, rest);
        if (result.kind !== 'change') throw new TypeError('the writer answered another kind of work');
        states.push(...result.states);
        images.push(...result.images);
        if (result.failure !== undefined) return { states, images, failure: unpackFailure(result.failure) };
      } catch (error) {
        // Some documents are changed: the command must not be planned again, and its reply says what ended it.
        if (states.length === 0) throw error;
        return { states, images, failure: failureOfRest(error, 'changed') };
      }
    } while (states.length < keys.length);
    return { states, images };
  }
}

/** The statements that delete all documents of a collection. */
export function deleteAllStatements(collection: Collection): readonly WriteStatement[] {
  const rows = deleteStatements({ table: collection, filter: matchAll });
  return [...rows, clearEntriesStatement(collection)];
}

/** Why a document could not be changed. */
function unpackFailure(packed: PackedError): ApiError {
  const failure = unpackError(packed, [apiErrorForm]);
  if (!(failure instanceof ApiError)) throw failure;
  return failure;
}

const codesOfRest: { readonly [Kind in EngineError['kind']]?: 'FAILED_WRITE_REQUEST' | 'READ_ONLY_SERVER' } =
  {
    writeFailed: 'FAILED_WRITE_REQUEST',
    readOnly: 'READ_ONLY_SERVER',
  };

/** The failure of the documents behind those that are stored or changed. */
function failureOfRest(error: unknown, done: 'stored' | 'changed'): ApiError {
  if (!(error instanceof EngineError)) throw error;
  const rest = `the documents after those that were ${done === 'stored' ? 'stored' : 'counted'}`;
  if (error.kind === 'writeTimeout')
    return apiError('database', 'TIMEOUT_WRITING_DATA', { problem: `${rest}: ${error.message}` }, error);
  const problem = `${rest} were not ${done}: ${error.message}`;
  return apiError('database', codesOfRest[error.kind] ?? 'UNAVAILABLE_DATABASE', { problem }, error);
}
