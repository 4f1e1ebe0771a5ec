// Splits a text into statements of the native query language.

/**
 * Pieces in which a semicolon does not end a statement: strings, quoted names, comments; then semicolons, words, then
 * anything.
 */
const pieces =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\$[\s\S]*?\$\$|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|;|\w+|[\s\S]/g;
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
  for (const [piece] of text.matchAll(pieces)) {
    if (piece === ';' && statement.endsHere) end();
    else statement.add(piece);
  }
  end();
  return statements;
}
