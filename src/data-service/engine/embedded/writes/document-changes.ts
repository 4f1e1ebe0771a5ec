// Writes of documents: plans become work for the writer thread, and its results become outcomes.
import { unpackError } from '../../../../foundation/threads/crossing-error.js';
import { ApiError, apiError } from '../../../errors/api-error.js';
import { apiErrorForm } from '../../../errors/crossing-api-error.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertOutcome,
  DocumentInsertPlan,
  DocumentInsertState,
} from '../../../query/document-write.js';
import { matchAll } from '../../../query/filter.js';
import type { Collection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { deleteStatements } from '../statements/delete-statements.js';
import { clearEntriesStatement } from '../statements/entry-statements.js';
import { type ChangeWork, changeWork, type DocumentResult, type DocumentWork } from './document-work.js';
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

  /** Large documents are inserted in portions, each with a job of its own. */
  async insert(plan: DocumentInsertPlan): Promise<readonly DocumentInsertOutcome[]> {
    const { documents } = plan;
    const states: DocumentInsertOutcome[] = [...(await this.#insertSome(plan))];
    while (states.length < documents.length) {
      const rest = documents.slice(states.length);
      const some = this.#insertSome({ ...plan, documents: rest });
      // Some documents are stored: the command must not be planned again, which would find that they exist.
      states.push(...(await some.catch((error) => rest.map(() => failureOfRest(error, 'stored')))));
    }
    return states;
  }

  async #insertSome({ collection, ...plan }: DocumentInsertPlan): Promise<readonly DocumentInsertState[]> {
    const result = await this.#writing.writeDocuments(collection, { kind: 'insert', ...plan });
    if (result.kind !== 'insert') throw new TypeError('the writer answered another kind of work');
    return result.states;
  }

  /** Large documents are changed in portions, each with a job of its own. */
  async change(plan: DocumentChangePlan): Promise<DocumentChangeOutcome> {
    const { collection, keys } = plan;
    const work = changeWork(plan);
    const first = await this.#changeSome(collection, work);
    if (first.failure !== undefined || first.states.length === keys.length) return first;
    const states = [...first.states];
    const images = [...first.images];
    while (states.length < keys.length) {
      const rest = { ...work, keys: keys.slice(states.length) };
      const { failure, ...more } = await this.#changeSome(collection, rest).catch(failedChange);
      states.push(...more.states);
      images.push(...more.images);
      if (failure !== undefined) return { states, images, failure };
    }
    return { states, images };
  }

  async #changeSome(collection: Collection, work: ChangeWork): Promise<DocumentChangeOutcome> {
    const result = await this.#writing.writeDocuments(collection, work);
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

/** Some documents are changed: the command must not be planned again, and its reply says which failure ended it. */
function failedChange(error: unknown): DocumentChangeOutcome {
  return { states: [], images: [], failure: failureOfRest(error, 'changed') };
}

/** The failure of the documents behind those that are stored or changed. */
function failureOfRest(error: unknown, done: 'stored' | 'changed'): ApiError {
  if (!(error instanceof EngineError)) throw error;
  const named = done === 'stored' ? 'stored' : 'counted';
  const problem = `the documents after those that were ${named} were not ${done}: ${error.message}`;
  const code = error.kind === 'writeFailed' ? 'FAILED_WRITE_REQUEST' : 'UNAVAILABLE_DATABASE';
  return apiError('database', code, { problem }, error);
}
