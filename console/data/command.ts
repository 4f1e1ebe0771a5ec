// Commands of the data service: sending them, and what their replies say.
import { isList, isObject, type Json, type JsonObject, memberAt, plainText } from '../json/exact-json.js';
import { RequestFailure, sendRequest } from '../net/send-request.js';

/** What a command is sent to: the database, a keyspace, a table or a collection. */
export interface Target {
  readonly keyspace?: string;
  readonly name?: string;
  readonly kind?: 'table' | 'collection';
}

/** A command, before it is sent. */
export interface Command {
  readonly target: Target;
  readonly name: string;
  readonly body: JsonObject;
}

/** A warning or an error of the service. */
export interface Remark {
  readonly code: string;
  readonly title: string;
  readonly message: string;
}

/** A reply without errors. */
export interface CommandReply {
  readonly data: Json | undefined;
  readonly status: Json | undefined;
  readonly warnings: readonly Remark[];
  readonly tookMs: number;
}

/** The body of the request. */
export function bodyOf({ name, body }: Command): JsonObject {
  return { [name]: body };
}

/** The path on the data port. */
export function pathOf({ keyspace, name }: Target): string {
  return ['v1', keyspace, name]
    .flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)]))
    .join('/');
}

/** Sends a command. @throws RequestFailure, also for a reply with errors; its `kind` is the code of the first one */
export async function sendCommand(command: Command, signal?: AbortSignal): Promise<CommandReply> {
  const { failure, errors: _, ...reply } = await askCommand(command, signal);
  if (failure !== undefined) throw failure;
  return reply;
}

/** A reply that can have errors beside what was done. */
export interface AskedReply extends CommandReply {
  readonly failure: RequestFailure | undefined;
  readonly errors: readonly Remark[];
}

/** Sends a command, and returns also a reply with errors. @throws RequestFailure */
export async function askCommand(command: Command, signal?: AbortSignal): Promise<AskedReply> {
  const beganAt = performance.now();
  const path = `data/${pathOf(command.target)}`;
  const reply = await sendRequest(path, { method: 'POST', body: bodyOf(command), signal });
  return {
    failure: failureIn(reply),
    errors: errorsIn(reply),
    data: memberAt(reply, 'data'),
    status: memberAt(reply, 'status'),
    warnings: remarksIn(memberAt(reply, 'status'), 'warnings'),
    tookMs: performance.now() - beganAt,
  };
}

function failureIn(reply: Json): RequestFailure | undefined {
  const [first, ...others] = errorsIn(reply);
  if (first === undefined) return undefined;
  const [line = '', ...more] = first.message.split('\n');
  const details = [...more, ...others.map(({ message }) => message)];
  return new RequestFailure(200, first.code, first.title === '' ? line : `${first.title}. ${line}`, details);
}

/** The errors of a reply as it came. */
export function errorsIn(reply: Json): readonly Remark[] {
  return remarksIn(reply, 'errors');
}

/** The documents of a reply. */
export function documentsOf({ data }: CommandReply): readonly JsonObject[] {
  return documentsIn(data);
}

/** The documents in the `data` of a reply. */
export function documentsIn(data: Json | undefined): readonly JsonObject[] {
  const documents = memberAt(data, 'documents');
  if (isList(documents)) return documents.filter(isObject);
  const document = memberAt(data, 'document');
  return isObject(document) ? [document] : [];
}

function remarksIn(value: Json | undefined, name: string): readonly Remark[] {
  const list = memberAt(value, name);
  if (!isList(list)) return [];
  return list.map((item) => ({
    code: plainText(memberAt(item, 'errorCode')),
    title: plainText(memberAt(item, 'title')),
    message: isObject(item) ? plainText(item['message']) : plainText(item),
  }));
}
