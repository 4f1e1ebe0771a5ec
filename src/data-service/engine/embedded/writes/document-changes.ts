// Writes of documents: plans become work for the writer thread, and its results become outcomes.
import { unpackError } from '../../../../foundation/threads/crossing-error.js';
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
import { deleteStatements } from '../statements/delete-statements.js';
import { clearEntriesStatement } from '../statements/entry-statements.js';
import type { DocumentResult, DocumentWork } from './document-work.js';
import type { WriteRows } from './row-changes.js';

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

  async insert({ collection, ...plan }: DocumentInsertPlan): Promise<readonly DocumentInsertState[]> {
    const result = await this.#writing.writeDocuments(collection, { kind: 'insert', ...plan });
    if (result.kind !== 'insert') throw new TypeError('the writer answered another kind of work');
    return result.states;
  }

  async change({ collection, ...plan }: DocumentChangePlan): Promise<DocumentChangeOutcome> {
    const result = await this.#writing.writeDocuments(collection, { kind: 'change', ...plan });
    if (result.kind !== 'change') throw new TypeError('the writer answered another kind of work');
    const { states, images, failure: packed } = result;
    if (packed === undefined) return { states, images };
    const failure = unpackError(packed, [apiErrorForm]);
    if (!(failure instanceof ApiError)) throw failure;
    return { states, images, failure };
  }

  deleteAll(collection: Collection): Promise<void> {
    const rows = deleteStatements({ table: collection, filter: matchAll });
    return this.#writing.write(collection, [...rows, clearEntriesStatement(collection)]);
  }
}
