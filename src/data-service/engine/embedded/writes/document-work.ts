// The work of a job on documents, and its result: plain data for the writer thread.
import { type JsonObject, type JsonText, stringifyJson } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import type { PackedError } from '../../../../foundation/threads/crossing-error.js';
import type {
  DocumentChange,
  DocumentChangeState,
  FilteredChange,
} from '../../../documents/change-document.js';
import type { DocumentColumns } from '../../../documents/document-columns.js';
import { packUpdate, unpackUpdate } from '../../../documents/document-update.js';
import { packFilter, unpackFilter } from '../../../documents/pack-filter.js';
import type {
  DocumentChangePlan,
  DocumentInsertPlan,
  DocumentInsertState,
} from '../../../query/document-write.js';

/** Documents to insert or to change. */
export type DocumentWork =
  | ({ readonly kind: 'insert' } & Omit<DocumentInsertPlan, 'collection'>)
  | ChangeWork;

/** Documents to change. */
export interface ChangeWork {
  readonly kind: 'change';
  readonly keys: readonly Uint8Array[];
  readonly filter: JsonText;
  readonly change: PackedChange;
  readonly wants: FilteredChange['wants'];
}

/** A change with its parts as JSON texts. */
type PackedChange =
  | { readonly kind: 'delete' }
  | { readonly kind: 'update'; readonly update: JsonText; readonly nowMs: number }
  | { readonly kind: 'replace'; readonly replacement: JsonText; readonly id: JsonText | null };

/** The work of a plan. */
export function changeWork({ keys, filter, change, wants }: DocumentChangePlan): ChangeWork {
  return { kind: 'change', keys, filter: packFilter(filter), change: packedChange(change), wants };
}

function packedChange(change: DocumentChange): PackedChange {
  switch (change.kind) {
    case 'delete':
      return change;
    case 'update':
      return { kind: 'update', update: packUpdate(change.update), nowMs: change.nowMs };
    case 'replace': {
      const { replacement, id } = change;
      const packedId = id === undefined ? null : stringifyJson(id);
      return { kind: 'replace', replacement: stringifyJson(replacement), id: packedId };
    }
  }
}

export function changeOfWork({ filter, change, wants }: ChangeWork): FilteredChange {
  return { filter: unpackFilter(filter), change: unpackedChange(change), wants };
}

/** Texts that were written from values within the limits of documents. */
const limits = { maxDepth: 100, maxNumberLength: 1_000 };

function unpackedChange(change: PackedChange): DocumentChange {
  switch (change.kind) {
    case 'delete':
      return change;
    case 'update':
      return { kind: 'update', update: unpackUpdate(change.update), nowMs: change.nowMs };
    case 'replace': {
      const replacement = parseJson(change.replacement, limits) as JsonObject; // as `packedChange` wrote it
      return {
        kind: 'replace',
        replacement,
        id: change.id === null ? undefined : parseJson(change.id, limits),
      };
    }
  }
}

/** About how many bytes a change may add to each document. */
export function bytesOfOperand({ change }: ChangeWork): number {
  if (change.kind === 'delete') return 0;
  return change.kind === 'replace' ? change.replacement.length : change.update.length;
}

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
