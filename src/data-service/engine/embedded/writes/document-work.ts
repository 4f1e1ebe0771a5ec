// The work of a job on documents, and its result: plain data for the writer thread.
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type { DocumentColumns } from '../../../documents/document-columns.js';
import type {
  DocumentChangePlan,
  DocumentChangeState,
  DocumentInsertPlan,
  DocumentInsertState,
} from '../../../query/document-write.js';

/** Documents to insert or to change. */
export type DocumentWork =
  | ({ readonly kind: 'insert' } & Omit<DocumentInsertPlan, 'collection'>)
  | ({ readonly kind: 'change' } & Omit<DocumentChangePlan, 'collection'>);

/** The result of work of the same kind. */
export type DocumentResult =
  | {
      readonly kind: 'insert';
      /** Documents without one are another job, as with a change. */
      readonly states: readonly DocumentInsertState[];
    }
  | {
      readonly kind: 'change';
      /** Without a failure, documents of further keys are another job: other writes come before it. */
      readonly states: readonly DocumentChangeState[];
      readonly images: readonly DocumentColumns[];
      readonly failure: PackedError | undefined;
    };

/** The number of documents of the work. */
export function documentsOf(work: DocumentWork): number {
  return work.kind === 'insert' ? work.documents.length : work.keys.length;
}
