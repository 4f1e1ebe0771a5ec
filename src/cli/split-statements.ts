// Splits a text into statements of the native query language.

/** Where a piece begins: a string, a quoted name or a comment; a semicolon; a word; then anything else. */
const beginnings = /'|"|\$\$|--|\/\/|\/\*|;|\w+|[\s\S]/g;
/** What ends strings, quoted names and comments. Two quotes within a string end one string and begin another. */
const ends: ReadonlyMap<string, string> = new Map([
  ...(["'", '"', '$$'] as const).map((quote) => [quote, quote] as const),
  ...(['--', '//'] as const).map((comment) => [comment, '\n'] as const),
  ['/*', '*/'],
]);
const beginOfBatch = /^BEGIN (UNLOGGED |COUNTER )?BATCH$/;
const endOfBatch = 'APPLY BATCH';
/** Words of the longest begin of a batch. */
const mostFirstWords = 3;

/** One statement as far as it is read. */
class Statement {
  text = '';
  isEmpty = true;
  #isBatch = false;
  /** The first words, in upper case; undefined when something else came between. */
  #first: string[] | undefined = [];
  #lastWord = '';
  /** In a batch: whether its end was read. */
  #isWhole = false;

  /** A semicolon ends it, unless it is a batch whose end is to come. */
  get endsHere(): boolean {
    return !this.#isBatch || this.#isWhole;
  }

  add(piece: string): void {
    this.text += piece;
    if (/^(\s|--|\/\/|\/\*)/.test(piece)) return;
    this.isEmpty = false;
    const word = /^\w+$/.test(piece) ? piece.toUpperCase() : '';
    this.#isWhole = `${this.#lastWord} ${word}` === endOfBatch;
    this.#lastWord = word;
    if (word === '' || this.#first === undefined || this.#first.length >= mostFirstWords)
      this.#first = undefined;
    else this.#first.push(word);
    if (this.#first !== undefined && beginOfBatch.test(this.#first.join(' '))) this.#isBatch = true;
  }
}

/**
 * The statements between semicolons, as they were written; parts of only spaces and comments are omitted. The
 * statements of a batch stay together.
 */
export function splitStatements(text: string): readonly string[] {
  const statements: string[] = [];
  let statement = new Statement();
  const end = () => {
    if (!statement.isEmpty) statements.push(statement.text.trim());
    statement = new Statement();
  };
  for (const piece of piecesOf(text)) {
    if (piece === ';' && statement.endsHere) end();
    else statement.add(piece);
  }
  end();
  return statements;
}

/** The text in pieces, in the order of the text. The characters of a string without its end are pieces of their own. */
function* piecesOf(text: string): Generator<string> {
  const pattern = new RegExp(beginnings);
  /** Ends that the rest of the text does not have: each is searched only once. */
  const missing = new Set<string>();
  for (let at = 0; at < text.length; ) {
    pattern.lastIndex = at;
    const [beginning = ''] = pattern.exec(text) ?? [];
    const end = ends.get(beginning);
    const from = at + beginning.length;
    const found = end === undefined || missing.has(end) ? -1 : text.indexOf(end, from);
    if (end !== undefined && found < 0) missing.add(end);
    const next = end === undefined ? from : behindEnd(text, { at, end, found });
    yield text.slice(at, next);
    at = next;
  }
}

/** A comment to the end of its line does not have the line break, and may be the last line of the text. */
function behindEnd(text: string, { at, end, found }: { at: number; end: string; found: number }): number {
  if (end === '\n') return found < 0 ? text.length : found;
  return found < 0 ? at + 1 : found + end.length;
}
