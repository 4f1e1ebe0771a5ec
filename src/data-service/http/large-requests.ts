// Requests that take more time or memory than the thread of all requests has for one: another thread answers them.

import { stringifyJson } from '../../foundation/json/json-value.js';
import type { WhenGone } from '../../foundation/limits/work-queue.js';
import { beginningOfUtf8 } from '../../foundation/text/shorten-utf8.js';
import { type Address, isSchemaCommand } from '../commands/run-command.js';
import type { ReadHeader } from '../embedding/find-credential.js';
import type { StorageUser } from '../engine/storage-users.js';
import { ApiError, apiError } from '../errors/api-error.js';
import type { AnswerBody, AnswerFacts, BodyAnswer } from './answer-body.js';
import { readBodyJson, readSchemaJson } from './read-request.js';

/** A longer body is large, except for its vectors: 128 KiB of other JSON take 10 to 50 ms to be read and checked. */
const mostBodyBytes = 128 * 1024;
/**
 * A longer body is large, whatever it has. Vectors in base64 are read much faster than other JSON: 1 MiB of them takes
 * some 3 ms, less than copying what was read from one thread to another.
 */
const mostVectorBytes = 1024 * 1024;
/** Changes of the schema are made where the schema is. The definition of a table with 1,500 columns has some 250 KB. */
const mostSchemaBytes = 512 * 1024;

/** Whether the thread for large requests reads a body. */
export function isLargeBody(body: Buffer): boolean {
  if (body.length <= mostBodyBytes) return false;
  return body.length > mostVectorBytes || hasMoreBesideBinary(body, mostBodyBytes);
}

const binaryMember = '"$binary"';
const quote = 34;

/**
 * Whether a body has more than so many bytes that are not in the strings of its `$binary` members. A text that only
 * looks like such a member counts as one, because other long strings are read as fast.
 */
function hasMoreBesideBinary(body: Buffer, mostBytes: number): boolean {
  let beside = 0;
  let from = 0;
  while (beside <= mostBytes) {
    const at = body.indexOf(binaryMember, from);
    const start = at < 0 ? -1 : body.indexOf(quote, at + binaryMember.length);
    const end = start < 0 ? -1 : body.indexOf(quote, start + 1);
    if (end < 0) return beside + body.length - from > mostBytes;
    beside += start - from;
    from = end;
  }
  return true;
}

/** The reply to a large request. */
export interface LargeReply extends AnswerFacts {
  /** Its text in UTF-8. */
  readonly bytes: Uint8Array;
  readonly body?: undefined;
}

/** The result of a large request. */
export type LargeAnswer =
  | LargeReply
  /** Only the main thread can run it: its body without white space. */
  | { readonly body: Uint8Array; readonly bytes?: undefined };

export interface LargeRequest {
  readonly body: Buffer;
  readonly address: Address;
  readonly header: ReadHeader;
  /** By whose rights it runs; undefined: by those of the server. */
  readonly user?: StorageUser | undefined;
  /** See `RunCommandOptions`. */
  readonly onlyReads?: boolean | undefined;
}

/** Answers large requests, a few at a time. */
export interface LargeRequests {
  /**
   * Transfers the body. Rejects with NoRoomForLargeRequest, with an EngineError if the user cannot be logged in, or
   * with another error if the thread fails.
   */
  answer(request: LargeRequest, whenGone?: WhenGone): Promise<LargeAnswer>;
}

/** Nothing was done: too many large requests wait, or one waited for too long, or took too much memory. */
export class NoRoomForLargeRequest extends Error {}

/** This offer has all commands of the others. */
const everything = { dialect: 'extended', hasCollections: true } as const;

/** Answers a large request on the thread for large requests. */
export async function answerLarge(
  { answer }: AnswerBody,
  body: Buffer,
  address: Address,
  header: ReadHeader,
): Promise<LargeAnswer> {
  const json = readBodyJson(body);
  if (json instanceof ApiError || !isSchemaCommand(json, address, everything))
    return inBytes(await answer(json, address, header));
  const compact = Buffer.from(stringifyJson(json));
  const checked = compact.length > mostSchemaBytes ? tooLong(compact) : readSchemaJson(compact);
  return checked instanceof ApiError ? inBytes(await answer(checked, address, header)) : { body: compact };
}

function tooLong(compact: Buffer): ApiError {
  return apiError('request', 'COMMAND_FIELD_VALUE_INVALID', {
    field: 'command',
    value: `${beginningOfUtf8(compact, 50)}…`,
    problem: `a command that changes the schema can have at most ${mostSchemaBytes} bytes`,
  });
}

function inBytes({ text, ...facts }: BodyAnswer): LargeAnswer {
  return { ...facts, bytes: Buffer.from(text) };
}
