// Answers the body of a request: JSON, command, envelope (wire: Response envelope).
import type { JsonText, JsonValue } from '../../foundation/json/json-value.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Command } from '../commands/command.js';
import type { Reply } from '../commands/reply.js';
import {
  type Address,
  type Answer,
  type OfferOptions,
  offerOf,
  type RunCommandOptions,
  runCommand,
} from '../commands/run-command.js';
import type { ReadHeader } from '../embedding/find-credential.js';
import { ApiError, apiError } from '../errors/api-error.js';
import type { FailureLog } from './failure-log.js';

/** What answering needs. */
export interface AnswerOptions extends Omit<RunCommandOptions, 'fault' | 'offer'>, OfferOptions {
  readonly logger: Logger;
  /** The log of failures of all requests of the process or thread. */
  readonly failures: Pick<FailureLog, 'log'>;
}

/** Facts about a reply, in addition to its text. */
export interface AnswerFacts {
  /** The command's name; undefined if none was recognised. */
  readonly command: string | undefined;
  readonly kind: Command['kind'] | undefined;
  readonly errors: readonly Pick<ApiError, 'family' | 'code'>[];
  readonly httpStatus: number;
}

/** A reply. */
export interface BodyAnswer extends AnswerFacts {
  readonly text: JsonText;
}

/** Answers bodies. */
export interface AnswerBody {
  /**
   * `json`: the content of the body, or the reason why it cannot be read. A command that its engine refuses as `large`
   * has the answer of `answerLarge`; without it, the result rejects with that EngineError. `answerLarge` also gets
   * every other error with which a command rejects, and throws it again.
   */
  answer<Large = never>(
    json: JsonValue | ApiError,
    address: Address,
    header: ReadHeader,
    answerLarge?: (error: unknown) => Promise<Large>,
  ): Promise<BodyAnswer | Large>;
  /** The reply to a request that is refused. */
  refuse(error: ApiError): BodyAnswer;
  /** The reply after an unexpected error of the server, which is logged. */
  fail(error: unknown, address: Address): BodyAnswer;
}

/** Makes the functions that answer the bodies of one thread. */
export function makeAnswerBody(options: AnswerOptions): AnswerBody {
  const { newId, failures } = options;
  const fault = (error: unknown, address: Address) => reportFault(error, address, options);
  const commandOptions: RunCommandOptions = commandOptionsOf(options, fault);
  const write = ({ command, reply }: Answer): BodyAnswer => {
    const { errors = [] } = reply;
    failures.log(errors);
    const httpStatus = errors.find((error) => error.httpStatus !== 200)?.httpStatus ?? 200;
    const text = envelopeText(reply, newId);
    return { command: command?.name, kind: command?.kind, errors, httpStatus, text };
  };
  const refuse = (error: ApiError) => write({ command: undefined, reply: { errors: [error] } });
  return {
    answer: (json, address, header, answerLarge) =>
      json instanceof ApiError
        ? Promise.resolve(refuse(json))
        : runCommand(json, address, header, commandOptions, answerLarge !== undefined).then(
            write,
            answerLarge,
          ),
    refuse,
    fail: (error, address) => refuse(fault(error, address)),
  };
}

/** The options are one literal, because the copy of an object with so many members is slow to read. */
function commandOptionsOf(options: AnswerOptions, fault: RunCommandOptions['fault']): RunCommandOptions {
  const { engine, dialect, pageStateKey, embedder, reranker, checkEmbeddingService } = options;
  const { clock, newId, onlyReads = false } = options;
  return {
    engine,
    dialect,
    offer: offerOf(options),
    pageStateKey,
    embedder,
    reranker,
    checkEmbeddingService,
    clock,
    newId,
    onlyReads,
    fault,
  };
}

/**
 * Compact JSON with the members data, status and errors. `newId` gives each error and warning its own id. Empty members
 * are omitted, and so is data when there are errors.
 */
function envelopeText(reply: Reply, newId: () => string): JsonText {
  const { data, errors = [] } = reply;
  let text = '';
  if (data !== undefined && errors.length === 0) text = `"data":${data}`;
  const status = statusText(reply, newId);
  if (status !== '') text += `${text === '' ? '' : ','}"status":{${status}}`;
  if (errors.length > 0) text += `${text === '' ? '' : ','}"errors":${errorsText(errors, newId)}`;
  return `{${text}}`;
}

function statusText({ status = [], warnings = [] }: Reply, newId: () => string): JsonText {
  let text = '';
  for (const [name, value] of status) text += `${text === '' ? '' : ','}"${name}":${value}`;
  if (warnings.length > 0) text += `${text === '' ? '' : ','}"warnings":${errorsText(warnings, newId)}`;
  return text;
}

function errorsText(errors: readonly ApiError[], newId: () => string): JsonText {
  return `[${errors.map((error) => errorText(error, newId())).join(',')}]`;
}

function errorText(error: ApiError, id: string): JsonText {
  const { family, scope, code, title, message, documentIds } = error;
  const text = JSON.stringify({ id, family, scope, errorCode: code, title, message });
  return documentIds === undefined ? text : `${text.slice(0, -1)},"documentIds":[${documentIds.join(',')}]}`;
}

/** An unexpected error of the server: the log has it under the id that the client gets. */
function reportFault(error: unknown, address: Address, { newId, logger }: AnswerOptions): ApiError {
  const logId = newId();
  logger.error({ err: error, logId, ...address }, 'a command failed unexpectedly');
  return apiError('server', 'UNEXPECTED_SERVER_ERROR', { logId });
}
