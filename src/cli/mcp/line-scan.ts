// Looks at the bytes of one line while they arrive: its length, its nesting, and the id of the message in it.

/** An id that a request can have. */
export type RequestId = string | number;

const code = { quote: 34, comma: 44, backslash: 92 } as const;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);
/** Bytes that are kept of a member of the message itself: an id is shorter. */
const longestMemberBytes = 1024;

/** A line that needs not be in memory as a whole. Of a line that is not JSON it says nothing certain. */
export class LineScan {
  #bytes = 0;
  #depth = 0;
  #deepest = 0;
  #isInText = false;
  #isEscaped = false;
  /** Belongs to the member of the message that is read, without what is nested in it. */
  #member: number[] = [];
  #id: RequestId | undefined;

  /** How many bytes were added. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How deeply objects and arrays are nested. */
  get deepest(): number {
    return this.#deepest;
  }

  /** The member `id`; null if the message has none, or one that a request cannot have. */
  get id(): RequestId | null {
    return this.#id ?? null;
  }

  /** Adds the next bytes of the line. */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (const byte of chunk) {
      const isText = this.#isInText;
      if (isText) this.#addInText(byte);
      else if (byte === code.quote) this.#isInText = true;
      else if (opening.has(byte)) this.#open();
      else if (closing.has(byte)) this.#close();
      if (this.#depth !== 1) continue;
      if (!isText && byte === code.comma) this.#endMember();
      else if (this.#member.length <= longestMemberBytes) this.#member.push(byte);
    }
  }

  #addInText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === code.backslash) this.#isEscaped = true;
    else if (byte === code.quote) this.#isInText = false;
  }

  #open(): void {
    this.#depth += 1;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#depth === 0) this.#endMember();
  }

  #endMember(): void {
    const text = Buffer.from(this.#member).toString().replace(/^\{/, '');
    this.#member = [];
    try {
      const { id }: { readonly id?: unknown } = JSON.parse(`{${text}}`);
      if (isRequestId(id)) this.#id = id;
    } catch {
      // The member is an object, an array or longer than an id.
    }
  }
}

/** Whether a value can be the id of a request. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
