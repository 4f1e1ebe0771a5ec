// Splits what a client of the Model Context Protocol sends into lines, and finds those that are not messages.

/** An error of JSON-RPC 2.0 for a line. */
export interface LineError {
  /** That of the line; null if it has none that a request can have. */
  readonly id: string | number | null;
  readonly code: -32_700 | -32_600;
  readonly message: string;
}

const lineFeed = 10;
/** The SDK accepts no longer messages. It gets a longer line as it is, and ends the connection with its own error. */
const longestLineBytes = 10 * 1024 * 1024;

/** The lines of one client. */
export class SoundLines {
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** The messages that end in a chunk, each with its line break, and an error for each other line that is not blank. */
  add(chunk: Buffer): { readonly messages: readonly Buffer[]; readonly errors: readonly LineError[] } {
    const messages: Buffer[] = [];
    const errors: LineError[] = [];
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, at + 1)]);
      [this.#rest, this.#restBytes, from] = [[], 0, at + 1];
      const text = line.toString();
      if (text.trim() === '') continue;
      const error = errorOf(text);
      if (error === undefined) messages.push(line);
      else errors.push(error);
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
    this.#restBytes += chunk.length - from;
    if (this.#restBytes > longestLineBytes) {
      messages.push(...this.#rest);
      [this.#rest, this.#restBytes] = [[], 0];
    }
    return { messages, errors };
  }
}

/** What is wrong with a line, as far as the SDK would not answer. */
function errorOf(line: string): LineError | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, code: -32_700, message: 'Parse error: the line is not JSON' };
  }
  const members = typeof value === 'object' && value !== null ? value : {};
  const problem = problemOf(members);
  if (problem === undefined) return undefined;
  const id = 'id' in members && isRequestId(members.id) ? members.id : null;
  return { id, code: -32_600, message: `Invalid request: ${problem}` };
}

/** The SDK ignores such messages, and the client would wait for a reply. */
function problemOf(members: object): string | undefined {
  if (!('jsonrpc' in members) || members.jsonrpc !== '2.0')
    return 'a line must be one object with "jsonrpc": "2.0"';
  if ('id' in members && !isRequestId(members.id)) return '"id" must be a text or a whole number';
  if (!('method' in members))
    return 'result' in members || 'error' in members ? undefined : 'the message has no "method"';
  if (typeof members.method !== 'string') return '"method" must be a text';
  const params = 'params' in members ? members.params : {};
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
  return isObject ? undefined : '"params" must be an object';
}

function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
