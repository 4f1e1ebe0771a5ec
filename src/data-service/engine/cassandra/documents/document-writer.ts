// Writes documents: each by conditional statements on its version, so that no change of another server is lost.
import type { CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { type ChangedDocument, changedDocument } from '../../../documents/change-document.js';
import { type DocumentColumns, parsedObject } from '../../../documents/document-columns.js';
import type { DocumentFilter } from '../../../documents/document-filter.js';
import { ApiError } from '../../../errors/api-error.js';
import type {
  DocumentChangeOutcome,
  DocumentChangePlan,
  DocumentInsertOutcome,
  DocumentInsertPlan,
  DocumentInsertState,
} from '../../../query/document-write.js';
import type { Collection } from '../../../schema/collection.js';
import { documentRules } from '../../../schema/document-rules.js';
import type { Table } from '../../../schema/table.js';
import { toApiError } from '../../client-failure.js';
import type { DocumentWrites } from '../../engine.js';
import { EngineError, type EngineErrorKind } from '../../engine-error.js';
import { type ConditionalTools, ConditionalWrite } from './conditional-writes.js';
import {
  changedRow,
  changeStatement,
  deleteStatement,
  insertedDocument,
  insertStatement,
  isRepeated,
  type NewDocument,
  noteRepeatedStatement,
  repeatedInsertStatement,
  repeatedVersion,
  type VersionedDocument,
} from './document-statements.js';
import type { KeyTurns, Turned } from './key-turns.js';
import { lookupCount } from './lookup-path.js';

/** Documents of one insert that are under way at the same time. */
const mostUnderWay = 64;

/**
 * What a write leaves for the next one of the same document: its row, or that there is none. Another server may have
 * changed it before the reply to that write arrived, so what follows from it is either a statement with a condition, or
 * read.
 */
export interface LeftRow {
  readonly row: VersionedDocument | undefined;
}

/** What documents are written with. */
export interface DocumentTools extends ConditionalTools {
  readonly clock: Clock;
  /** @throws EngineError `schemaChanged` for a collection that is gone or changed */
  readonly refuseOutdated: (table: Table) => void;
  /** The engines of all users share them; what a write leaves is for the same session alone. */
  readonly turns: KeyTurns<LeftRow>;
  /** After which a plan is given up. */
  readonly timeoutMs: number;
  /** The bytes of a document that this thread reads to change it, before it has changed another one of the plan. */
  readonly mostBytes: number;
  readonly deleteAll: DocumentWrites['deleteAll'];
}

/** Carries out plans that write documents. */
export class DocumentWriter implements DocumentWrites {
  readonly #tools: DocumentTools;
  readonly deleteAll: DocumentWrites['deleteAll'];

  constructor(tools: DocumentTools) {
    this.#tools = tools;
    this.deleteAll = tools.deleteAll;
  }

  async insert(plan: DocumentInsertPlan): Promise<readonly DocumentInsertOutcome[]> {
    this.#tools.refuseOutdated(plan.collection);
    const isInOrder = plan.isOrdered || plan.documents.length === 1;
    const results = isInOrder ? await this.#insertInOrder(plan) : await this.#insertAll(plan);
    const failures = results.filter((result) => result instanceof EngineError);
    const [first] = failures;
    if (first === undefined) return results.map(toOutcome);
    // Where nothing can have been stored, the failure is that of the plan, which may be made again.
    const isUndone = !results.includes('stored') && !failures.some(({ kind }) => kind === 'writeTimeout');
    if (isUndone && (results.length === 1 || failures.some(({ kind }) => !isOfDocument(kind)))) throw first;
    return results.map(toOutcome);
  }

  /** A filter with several look-ups is read by several statements, between which a document can move. */
  canMiss(collection: Collection, filter: DocumentFilter): boolean {
    return lookupCount(collection, filter) > 1;
  }

  /** The keys come in their order. The first document that cannot be changed ends it. */
  async change(plan: DocumentChangePlan): Promise<DocumentChangeOutcome> {
    const { collection, keys } = plan;
    const { mostBytes } = this.#tools;
    this.#tools.refuseOutdated(collection);
    const endMs = this.#endMs();
    const states: ChangedDocument['state'][] = [];
    const images: DocumentColumns[] = [];
    for (const key of keys) {
      try {
        const { state, image } = await this.#inTurn(collection, key, (left) =>
          this.#changeOne(
            plan,
            key,
            { endMs, mostBytes: isAnyChanged(states) ? Number.POSITIVE_INFINITY : mostBytes },
            left,
          ),
        );
        states.push(state);
        if (image !== undefined) images.push(image);
      } catch (error) {
        return { states, images, failure: failureBehind(error, states) };
      }
    }
    return { states, images };
  }

  async #insertInOrder(plan: DocumentInsertPlan): Promise<InsertResults> {
    const endMs = this.#endMs();
    const results: InsertResult[] = [];
    for (const at of plan.documents.keys()) {
      const hasEnded = plan.isOrdered && results.length > 0 && results.at(-1) !== 'stored';
      results.push(hasEnded ? 'skipped' : await this.#insertResult(plan, at, endMs));
    }
    return results;
  }

  async #insertAll(plan: DocumentInsertPlan): Promise<InsertResults> {
    const { documents } = plan;
    const endMs = this.#endMs();
    const results = new Array<InsertResult>(documents.length).fill('skipped');
    const waiting = documents.keys();
    const insertNext = async () => {
      for (const at of waiting) results[at] = await this.#insertResult(plan, at, endMs);
    };
    await Promise.all(Array.from({ length: Math.min(mostUnderWay, documents.length) }, insertNext));
    return results;
  }

  /** Inserts the document at a place of the plan. */
  async #insertResult(
    { collection, documents, contents }: DocumentInsertPlan,
    at: number,
    endMs: number,
  ): Promise<InsertResult> {
    const stored = documents[at];
    if (stored === undefined) throw new TypeError(`the plan has no document ${at}`);
    try {
      return await this.#inTurn(collection, stored.key, (left) => {
        const document = { stored, content: contents?.[at] ?? parsedObject(stored.text) };
        return this.#insertOne(collection, document, endMs, left);
      });
    } catch (error) {
      if (error instanceof EngineError || error instanceof ApiError) return error;
      throw error;
    }
  }

  async #insertOne(
    collection: Collection,
    document: NewDocument,
    endMs: number,
    left: LeftRow | undefined,
  ): Promise<Turned<DocumentInsertState, LeftRow>> {
    const write = new ConditionalWrite(this.#tools, collection, document.stored.key, endMs);
    if (left?.row !== undefined) {
      const row = await write.read(Number.POSITIVE_INFINITY);
      if (row !== undefined) return { result: 'exists', left: { row } };
    }
    const version = this.#tools.newId();
    const statement = insertStatement(collection, document, version);
    const sent = await write.send(statement);
    if (sent === true) return { result: 'stored', left: { row: insertedDocument(document.stored, version) } };
    if (sent === false && !write.mayBeMark) return { result: 'exists', left: undefined };
    return this.#insertBehind(write, collection, document, { version, statement });
  }

  /**
   * Inserts a document after a first statement that may have been carried out, or that found a row without a document:
   * the mark of a deletion, or what is left of it. Where a node did not answer, it may carry a statement out much
   * later, even after a delete of the document. So the next statement has a version that says so, and a delete of
   * this document leaves a mark.
   * @throws EngineError `writeTimeout` where the row is that of another command, and others
   */
  async #insertBehind(
    write: ConditionalWrite,
    collection: Collection,
    document: NewDocument,
    first: { readonly version: string; readonly statement: CqlStatement },
  ): Promise<Turned<DocumentInsertState, LeftRow>> {
    let { statement } = first;
    for (const versions = [first.version]; ; ) {
      const { row, mark } = await write.readBehind();
      if (row !== undefined) {
        const isOwn = row.born !== null && versions.includes(row.born);
        // Statements behind the first one may still come, which its version does not say.
        if (isOwn && (versions.length === 1 || isRepeated(row))) return { result: 'stored', left: { row } };
        if (!isOwn && write.isUnanswered) throw write.undecided();
        if (!isOwn) return { result: 'exists', left: { row } };
      }
      const mayCome = typeof mark === 'string' || write.isUnanswered || versions.length > 1;
      if (mark !== undefined || mayCome) {
        const id = this.#tools.newId();
        // The delete of a document that nothing can bring back also removes the row that was left.
        const version = mayCome ? repeatedVersion(id) : id;
        versions.push(version);
        statement =
          row === undefined
            ? repeatedInsertStatement(collection, document, version, mark)
            : noteRepeatedStatement(collection, document.stored.key, row, version);
      }
      if ((await write.send(statement)) === true) return { result: 'stored', left: undefined };
    }
  }

  async #changeOne(
    plan: DocumentChangePlan,
    key: Uint8Array,
    { endMs, mostBytes }: { readonly endMs: number; readonly mostBytes: number },
    left: LeftRow | undefined,
  ): Promise<Turned<ChangedDocument, LeftRow>> {
    const { collection } = plan;
    const write = new ConditionalWrite(this.#tools, collection, key, endMs);
    let isRead = left === undefined;
    for (let row = left === undefined ? await write.read(mostBytes) : left.row; ; ) {
      const result = changedDocument(row?.columns, plan, documentRules(collection));
      if (row === undefined || (result.state !== 'changed' && result.state !== 'deleted')) {
        if (isRead) return { result, left: { row } };
        row = await write.read(mostBytes);
        isRead = true;
        continue;
      }
      const version = this.#tools.newId();
      const after = result.state === 'deleted' ? undefined : changedRow(row, result.columns, version);
      const statement =
        after === undefined || result.state === 'deleted'
          ? deleteStatement(collection, key, row, version)
          : changeStatement(collection, key, { before: row, after, content: result.after });
      const sent = await sendUntilKnown(write, statement, { before: row, after, version });
      if (sent.isDone) return { result, left: { row: sent.row } };
      row = sent.row;
      isRead = true;
    }
  }

  #inTurn<Result>(
    { id }: Collection,
    key: Uint8Array,
    work: (left: LeftRow | undefined) => Promise<Turned<Result, LeftRow>>,
  ): Promise<Result> {
    const { turns, session } = this.#tools;
    return turns.run(`${id}:${Buffer.from(key).toString('latin1')}`, session, work);
  }

  #endMs(): number {
    return this.#tools.clock.monotonicMs() + this.#tools.timeoutMs;
  }
}

type InsertResult = DocumentInsertState | EngineError | ApiError;
type InsertResults = readonly InsertResult[];

function toOutcome(result: InsertResult): DocumentInsertOutcome {
  return result instanceof EngineError ? toApiError(result) : result;
}

/** Whether the failure is that of one document, whatever becomes of the others. */
function isOfDocument(kind: EngineErrorKind): boolean {
  return kind === 'tooLarge' || kind === 'writeFailed';
}

/** Whether the version was written: the row has it, or had it before. */
function isBehind(row: VersionedDocument | undefined, version: string): boolean {
  return row !== undefined && (row.version === version || row.former.includes(version));
}

/** Whether the row has had another version behind this one, so that a write on this one can never take effect. */
function isOvertaken(row: VersionedDocument | undefined, { version }: VersionedDocument): boolean {
  return row !== undefined && version !== null && row.former.includes(version);
}

/** A change of a row that has a version; without `after` a delete. */
interface VersionedChange {
  readonly before: VersionedDocument;
  readonly after: VersionedDocument | undefined;
  /** The version that the change gives the row. */
  readonly version: string;
}

/**
 * Sends a change until it is known whether it took effect; `row` is the one behind it. Where nodes may still carry it
 * out, the same statement is sent again: whichever of both comes first, the other one finds another version.
 * @throws EngineError `writeTimeout` where the row does not say it, ApiError FAILED_CONCURRENT_OPERATIONS
 */
async function sendUntilKnown(
  write: ConditionalWrite,
  statement: CqlStatement,
  { before, after, version }: VersionedChange,
): Promise<{ readonly isDone: boolean; readonly row: VersionedDocument | undefined }> {
  for (;;) {
    const sent = await write.send(statement);
    if (sent === true) return { isDone: true, row: after };
    const { row, mark } = await write.readBehind();
    if (isBehind(row, version) || mark === version) return { isDone: true, row };
    if (row !== undefined && row.version === before.version) continue;
    if (write.isOpen && !isOvertaken(row, before)) throw write.undecided();
    write.settle();
    return { isDone: false, row };
  }
}

function isAnyChanged(states: readonly ChangedDocument['state'][]): boolean {
  return states.includes('changed') || states.includes('deleted');
}

/** Why a document was not changed. Where others were, the command must not be planned again. @throws other errors */
function failureBehind(error: unknown, states: readonly ChangedDocument['state'][]): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof EngineError) || !isAnyChanged(states)) throw error;
  const problem = `the documents after those that were counted were not changed: ${error.message}`;
  return toApiError(new EngineError(error.kind, problem, error));
}
