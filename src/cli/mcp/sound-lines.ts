// Splits what a client of the Model Context Protocol sends into lines, and finds those that are not messages.
import { isUtf8 } from 'node:buffer';
import { shortened } from '../../foundation/text/shorten-text.js';
import { isRequestId, LineScan, type RequestId } from './line-scan.js';

/** An error of JSON-RPC 2.0 for a line. */
export interface LineError {
  /** That of the line; null if it has none that a request can have. */
  readonly id: RequestId | null;
  readonly code: -32_700 | -32_600;
  readonly message: string;
}

/** What a chunk has: messages, each with its line break, and an error for each other line that is not blank. */
export interface FoundLines {
  readonly messages: readonly Buffer[];
  readonly errors: readonly LineError[];
}

/** Bytes of a message: the body of a request to the data service has at most 20 MiB. */
export const longestLineBytes = 24 * 1024 * 1024;
/** Objects and arrays in each other, as in the body of a request to the data service. */
export const deepestNesting = 1000;
const lineFeed = 10;

/** The lines of one client. */
export class SoundLines {
  #rest: Buffer[] = [];
  #scan = new LineScan();
  readonly #isRequest: (message: object) => boolean;

  /** `isRequest`: whether a message with a method has no further fault, by which its reader would ignore it. */
  constructor(isRequest: (message: object) => boolean = () => true) {
    this.#isRequest = isRequest;
  }

  /** The lines that end in a chunk. */
  add(chunk: Buffer): FoundLines {
    const found: { messages: Buffer[]; errors: LineError[] } = { messages: [], errors: [] };
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      this.#append(chunk.subarray(from, at + 1));
      from = at + 1;
      this.#endLine(found);
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
    return found;
  }

  /** The last line, if it has no line break. */
  end(): FoundLines {
    return this.#scan.bytes === 0 ? { messages: [], errors: [] } : this.add(Buffer.from('\n'));
  }

  #append(bytes: Buffer): void {
    this.#scan.add(bytes);
    // The rest of a line that is too long is not kept: its error needs only the id.
    if (this.#scan.bytes > longestLineBytes) this.#rest = [];
    else this.#rest.push(bytes);
  }

  #endLine({ messages, errors }: { messages: Buffer[]; errors: LineError[] }): void {
    const [scan, line] = [this.#scan, Buffer.concat(this.#rest)];
    [this.#rest, this.#scan] = [[], new LineScan()];
    const limit = limitOf(scan);
    if (limit !== undefined) {
      errors.push({ id: scan.id, code: -32_600, message: `Invalid request: ${limit}` });
      return;
    }
    const text = line.toString();
    if (text.trim() === '') return;
    const error = isUtf8(line) ? errorOf(text, this.#isRequest) : notText;
    if (error === undefined) messages.push(line);
    else errors.push(error);
  }
}

/** The limit that a line exceeds, as a sentence. */
function limitOf({ bytes, deepest }: LineScan): string | undefined {
  if (bytes > longestLineBytes)
    return (
      `the message has ${bytes} bytes, and ${longestLineBytes} are the most; ` +
      'send fewer rows or documents in one call'
    );
  if (deepest > deepestNesting)
    return `objects and arrays are nested ${deepest} levels deep, and ${deepestNesting} are the most`;
  return undefined;
}

const notText: LineError = { id: null, code: -32_700, message: 'Parse error: the line is not UTF-8' };

/** What is wrong with a line, as far as the SDK would not answer. */
function errorOf(line: string, isRequest: (message: object) => boolean): LineError | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, code: -32_700, message: 'Parse error: the line is not JSON' };
  }
  const members = typeof value === 'object' && value !== null ? value : {};
  const problem = problemOf(members, isRequest);
  if (problem === undefined) return undefined;
  const id = 'id' in members && isRequestId(members.id) ? members.id : null;
  return { id, code: -32_600, message: `Invalid request: ${problem}` };
}

/** The SDK ignores such messages, and the client would wait for a reply. */
function problemOf(members: object, isRequest: (message: object) => boolean): string | undefined {
  if (!('jsonrpc' in members) || members.jsonrpc !== '2.0')
    return 'a line must be one object with "jsonrpc": "2.0"';
  if ('id' in members && !isRequestId(members.id)) return '"id" must be a text or a whole number';
  if (!('method' in members))
    return 'result' in members || 'error' in members ? undefined : 'the message has no "method"';
  if (typeof members.method !== 'string') return '"method" must be a text';
  const params = 'params' in members ? members.params : {};
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (!isObject) return '"params" must be an object';
  const stray = Object.keys(members).find((name) => !requestMembers.has(name));
  if (stray !== undefined)
    return `a message with a method has no member "${shortened(stray, mostNameLength)}"`;
  if (isRequest(members)) return undefined;
  return '_meta' in params
    ? '"_meta" must be an object, its "progressToken" a text or a whole number'
    : 'the message does not follow the protocol';
}

const requestMembers: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const mostNameLength = 100;
