// Writes of documents: plans become work for the writer thread, and its results become outcomes.
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import { type PackedError, unpackError } from '../../../../foundation/threads/crossing-error.js';
import { ApiError } from '../../../errors/api-error.js';
import { apiErrorForm } from '../../../errors/crossing-api-error.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertPlan,
  DocumentInsertState,
} from '../../../query/document-write.js';
import { matchAll } from '../../../query/filter.js';
import type { Collection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { storageFailure } from '../file/storage-failure.js';
import { deleteStatements } from '../statements/delete-statements.js';
import { clearEntriesStatement } from '../statements/entry-statements.js';
import type { DocumentResult, DocumentWork } from './document-work.js';
import type { WriteRows } from './row-changes.js';
import { writeErrors } from './write-errors.js';

/** The writer thread as documents use it. Both reject with an EngineError. */
export interface DocumentWriting {
  readonly write: WriteRows;
  readonly writeDocuments: (table: Table, work: DocumentWork) => Promise<DocumentResult>;
}

/** Runs the plans that write documents, for the engine and its guests. */
export class DocumentChanges {
  readonly #writing: DocumentWriting;

  constructor(writing: DocumentWriting) {
    this.#writing = writing;
  }

  async insert({
    collection,
    ...plan
  }: DocumentInsertPlan): Promise<readonly (DocumentInsertState | EngineError)[]> {
    const result = await this.#writing.writeDocuments(collection, { kind: 'insert', ...plan });
    if (result.kind !== 'insert') throw new TypeError('the writer answered another kind of work');
    const { states, failure: packed } = result;
    if (packed === undefined) return states;
    const failure = failureOfRest(packed);
    return plan.documents.map((_, at) => states[at] ?? failure);
  }

  async change({ collection, ...plan }: DocumentChangePlan): Promise<DocumentChangeOutcome> {
    const result = await this.#writing.writeDocuments(collection, { kind: 'change', ...plan });
    if (result.kind !== 'change') throw new TypeError('the writer answered another kind of work');
    const { states, images, failure: packed } = result;
    if (packed === undefined) return { states, images };
    const isOfDocument = packed.kind === apiErrorForm.kind;
    if (!isOfDocument) return { states, images, failure: failureOfRest(packed) };
    const failure = unpackError(packed, [apiErrorForm]);
    if (!(failure instanceof ApiError)) throw failure;
    return { states, images, failure };
  }

  deleteAll(collection: Collection): Promise<void> {
    const rows = deleteStatements({ table: collection, filter: matchAll });
    return this.#writing.write(collection, [...rows, clearEntriesStatement(collection)]);
  }
}

/** Also another version of the collection: its command cannot be planned again, because a part of it is stored. */
function failureOfRest(packed: PackedError): EngineError {
  const error = unpackError(packed, writeErrors);
  const failure = storageFailure('write', error instanceof DatabaseFailure ? error.kind : 'bug', error);
  if (!(failure instanceof EngineError)) throw failure;
  return new EngineError('restNotWritten', failure.message, error);
}
