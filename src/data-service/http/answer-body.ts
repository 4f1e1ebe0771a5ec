// Answers the body of a request: JSON, command, envelope (wire: Response envelope).
import type { JsonText, JsonValue } from '../../foundation/json/json-value.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Command } from '../commands/command.js';
import { type Address, type Answer, type RunCommandOptions, runCommand } from '../commands/run-command.js';
import type { ReadHeader } from '../embedding/find-credential.js';
import { ApiError, apiError } from '../errors/api-error.js';
import { makeEnvelope } from './envelope.js';
import { readBodyJson } from './read-request.js';

/** What answering needs. */
export interface AnswerOptions extends Omit<RunCommandOptions, 'fault'> {
  /** A UUID for each error. */
  readonly newId: () => string;
  readonly logger: Logger;
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

/** Answers bodies. Both reject with an EngineError `large` only: see `runCommand`. */
export interface AnswerBody {
  answer(body: Buffer, address: Address, header: ReadHeader): Promise<BodyAnswer>;
  /** `json`: the content of the body, or the reason why it cannot be read. */
  answerJson(json: JsonValue | ApiError, address: Address, header: ReadHeader): Promise<BodyAnswer>;
  /** The reply to a request that is refused. */
  refuse(error: ApiError): BodyAnswer;
  /** The reply after an unexpected error of the server, which is logged. */
  fail(error: unknown, address: Address): BodyAnswer;
}

/** Makes the functions that answer the bodies of one thread. */
export function makeAnswerBody(options: AnswerOptions): AnswerBody {
  const { newId, logger } = options;
  const fault = (error: unknown, address: Address) => reportFault(error, address, options);
  const commandOptions: RunCommandOptions = { ...options, fault };
  const write = ({ command, reply }: Answer): BodyAnswer => {
    const { errors = [] } = reply;
    logFailures(errors, logger);
    const { httpStatus, body: text } = makeEnvelope(reply, newId);
    return { command: command?.name, kind: command?.kind, errors, httpStatus, text };
  };
  const refuse = (error: ApiError) => write({ command: undefined, reply: { errors: [error] } });
  const answerJson: AnswerBody['answerJson'] = async (json, address, header) =>
    json instanceof ApiError ? refuse(json) : write(await runCommand(json, address, header, commandOptions));
  return {
    answerJson,
    refuse,
    fail: (error, address) => refuse(fault(error, address)),
    answer: async (body, address, header) => {
      let json: JsonValue;
      try {
        json = readBodyJson(body);
      } catch (error) {
        return refuse(error instanceof ApiError ? error : fault(error, address));
      }
      return answerJson(json, address, header);
    },
  };
}

/** An unexpected error of the server: the log has it under the id that the client gets. */
function reportFault(error: unknown, address: Address, { newId, logger }: AnswerOptions): ApiError {
  const logId = newId();
  logger.error({ err: error, logId, ...address }, 'a command failed unexpectedly');
  return apiError('server', 'UNEXPECTED_SERVER_ERROR', { logId });
}

/** Clients see that the storage failed; the log has the reason. */
function logFailures(errors: readonly ApiError[], logger: Logger): void {
  for (const { family, cause, code } of errors) {
    if (family === 'SERVER' && cause !== undefined) logger.error({ err: cause, code }, 'a command failed');
  }
}
