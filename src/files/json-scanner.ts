// Cuts JSON text that arrives in pieces into objects: lines, one behind another, or the elements of an array.

/** A piece of the text that is an object, or would be one. */
export interface ScannedObject {
  /** Where it begins; the first line and the first column of the file have the number 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** Whether it ends where its brackets end. Otherwise the text is broken behind its last character, or earlier. */
  readonly isComplete: boolean;
}

/** Text that stands where an object, a comma or the end is expected. */
export interface ScannedProblem {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

/** What a piece of text has, in order. */
export type Scanned = ScannedObject | ScannedProblem;

const code = {
  tab: 9,
  lineFeed: 10,
  carriageReturn: 13,
  recordSeparator: 30,
  space: 32,
  quote: 34,
  comma: 44,
  colon: 58,
  openArray: 91,
  backslash: 92,
  closeArray: 93,
  openObject: 123,
  closeObject: 125,
} as const;

/** Outside of objects. */
type Place =
  /** Before an object or an array. */
  | 'between'
  /** In an array: before its first element, before an element, behind an element. */
  | 'array'
  | 'element'
  | 'separator'
  /** Behind text in the place of an object: the rest of its line is skipped. */
  | 'line'
  /** Behind a broken object: the next object begins with a line. */
  | 'broken';

/**
 * Scans one file. In an array, or where an array was begun, a problem ends the scan; elsewhere it continues with the
 * next line that begins with an object.
 */
export class JsonScanner {
  #place: Place = 'between';
  /** Brackets of the object that is read. */
  readonly #open: number[] = [];
  #isInText = false;
  #isEscaped = false;
  /** The last character of the object that is not blank and not in a text. */
  #previous = 0;
  /** What earlier pieces have of the object. */
  #parts: string[] = [];
  #partsLength = 0;
  #line = 1;
  /** The offset of the line in the piece; negative if it began in an earlier one. */
  #lineStart = 0;
  /** The last unit of the piece before. */
  #lastUnit = 0;
  #objectLine = 1;
  #objectColumn = 1;
  #isArray = false;
  /** Whether there was an object outside of arrays. */
  #hasLines = false;

  /** Whether the file is an array, as far as it was read. */
  get isArray(): boolean {
    return this.#isArray;
  }

  /** Characters of the object that is read. */
  get openLength(): number {
    return this.#partsLength;
  }

  /** The line in which the object that is read begins. */
  get openLine(): number {
    return this.#objectLine;
  }

  /** The objects and problems in the next piece. */
  add(piece: string): readonly Scanned[] {
    const found: Scanned[] = [];
    let start = 0;
    let at = 0;
    while (at < piece.length) {
      if (this.#open.length === 0) {
        at = this.#between(piece, at, found);
        start = at;
        if (this.#open.length > 0) at += 1;
        continue;
      }
      const end = this.#within(piece, at);
      if (end === undefined) break;
      found.push(this.#take(piece.slice(start, end), this.#open.length === 0));
      at = end;
    }
    if (this.#open.length > 0) {
      this.#parts.push(piece.slice(start));
      this.#partsLength += piece.length - start;
    }
    this.#lineStart -= piece.length;
    if (piece !== '') this.#lastUnit = piece.charCodeAt(piece.length - 1);
    return found;
  }

  /** What is left at the end of the file. */
  end(): readonly Scanned[] {
    if (this.#open.length > 0) return [this.#take('', false)];
    if (this.#place === 'between' || this.#place === 'broken' || this.#place === 'line') return [];
    return [
      { line: this.#line, column: 1 - this.#lineStart, problem: "the file ends where ']' is expected" },
    ];
  }

  /** The offset of the next object, or behind the piece. */
  #between(piece: string, from: number, found: Scanned[]): number {
    for (let at = from; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (isBreak(unit)) {
        this.#beginLine(piece, at);
        if (this.#place === 'line') this.#place = 'between';
      }
      if (this.#place === 'line') continue;
      if (unit === code.space || (unit >= code.tab && unit <= code.carriageReturn)) continue;
      if (this.#place === 'broken') {
        if (unit !== code.openObject || at !== this.#lineStart) continue;
        this.#place = 'between';
      }
      if (unit === code.openObject && this.#mayBegin()) {
        this.#begin(at);
        return at;
      }
      if (!this.#takeMark(unit)) found.push(this.#problemAt(piece, at));
    }
    return piece.length;
  }

  #mayBegin(): boolean {
    return this.#place !== 'separator';
  }

  /** Takes a bracket or separator outside of objects; false if it is not expected. */
  #takeMark(unit: number): boolean {
    const place = this.#place;
    if (place === 'between') {
      // Separators of sequences (RFC 7464), and commas between objects without an array.
      if (unit === code.recordSeparator || unit === code.comma) return true;
      if (unit !== code.openArray || this.#hasLines) return false;
      this.#isArray = true;
      this.#place = 'array';
      return true;
    }
    if (unit === code.closeArray && place !== 'element') this.#place = 'between';
    else if (unit === code.comma && place === 'separator') this.#place = 'element';
    else return false;
    return true;
  }

  #problemAt(piece: string, at: number): ScannedProblem {
    const expected = this.#place === 'separator' ? "',' or ']'" : 'an object';
    const character = JSON.stringify(String.fromCodePoint(piece.codePointAt(at) ?? 0));
    this.#place = 'line';
    return {
      line: this.#line,
      column: at - this.#lineStart + 1,
      problem: `unexpected character ${character} where ${expected} is expected`,
    };
  }

  #begin(at: number): void {
    this.#open.push(code.openObject);
    this.#previous = code.openObject;
    this.#hasLines ||= !this.#isArray;
    [this.#objectLine, this.#objectColumn] = [this.#line, at - this.#lineStart + 1];
  }

  /** Begins a line behind CR, LF or CRLF. */
  #beginLine(piece: string, at: number): void {
    const before = at === 0 ? this.#lastUnit : piece.charCodeAt(at - 1);
    if (piece.charCodeAt(at) !== code.lineFeed || before !== code.carriageReturn) this.#line += 1;
    this.#lineStart = at + 1;
  }

  /** The offset behind the object that is read, or of what breaks it; undefined if the piece has no end of it. */
  #within(piece: string, from: number): number | undefined {
    for (let at = from; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (this.#isInText) {
        if (isBreak(unit)) return at; // a text must not have a line break
        this.#readInText(unit);
        continue;
      }
      if (unit <= code.space) {
        if (isBreak(unit)) this.#beginLine(piece, at);
        continue;
      }
      if (unit === code.quote) this.#isInText = true;
      else if (unit === code.openObject || unit === code.openArray) {
        if (!this.#mayNest(unit)) return at;
        this.#open.push(unit);
      } else if (unit === code.closeObject || unit === code.closeArray) {
        if (this.#open.at(-1) !== (unit === code.closeObject ? code.openObject : code.openArray))
          return at + 1;
        this.#open.pop();
        if (this.#open.length === 0) return at + 1;
      }
      this.#previous = unit;
    }
    return undefined;
  }

  #readInText(unit: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (unit === code.backslash) this.#isEscaped = true;
    else if (unit === code.quote) this.#isInText = false;
  }

  /** In a broken object the next object of the file stands where no value can be. */
  #mayNest(unit: number): boolean {
    if (this.#open.at(-1) === code.openObject) return this.#previous === code.colon;
    return unit === code.openArray || this.#previous === code.comma || this.#previous === code.openArray;
  }

  #take(last: string, isComplete: boolean): ScannedObject {
    const whole = this.#parts.length === 0 ? last : this.#parts.join('') + last;
    // What is missing is missing behind the last character, not before the next object.
    const text = isComplete ? whole : whole.trimEnd();
    this.#parts = [];
    this.#partsLength = 0;
    this.#open.length = 0;
    this.#isInText = false;
    this.#isEscaped = false;
    if (!isComplete) this.#place = 'broken';
    else if (this.#place !== 'between') this.#place = 'separator';
    return { line: this.#objectLine, column: this.#objectColumn, text, isComplete };
  }
}

function isBreak(unit: number): boolean {
  return unit === code.lineFeed || unit === code.carriageReturn;
}
