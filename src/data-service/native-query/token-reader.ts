// Reads the tokens of one statement in order, and reports what was expected when it finds another token.
import { shortened } from '../../foundation/text/shorten-text.js';
import { NativeQueryRefused } from '../engine/native-result.js';
import { placeIn, type Token, tokensOf } from './token.js';

/** The maximum nesting of literals and types. */
export const maxDepth = 10;

/** Hints of refusals. */
const noFunctions = 'functions are not supported';
const noClause = 'further clauses and statements are not supported';

/** A table, a user-defined type or an index by its whole name. */
export interface TableName {
  readonly keyspace: string;
  readonly table: string;
}

/** A position in a statement, before its next token. */
export class TokenReader {
  readonly #query: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  /** @throws NativeQueryRefused for text that is not a token */
  constructor(query: string) {
    this.#query = query;
    this.#tokens = tokensOf(query);
  }

  /** The next token, without consuming it. */
  peek(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (token === undefined) throw new TypeError('a statement has a token for its end');
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Consumes these words if they all come next; quoted names are not words of the language. */
  takeWords(...words: readonly string[]): boolean {
    const isNext = words.every((word, at) => {
      const token = this.#tokens[this.#next + at];
      return token?.kind === 'name' && token.text === word;
    });
    if (isNext) this.#next += words.length;
    return isNext;
  }

  takeSymbol(symbol: string): boolean {
    const isNext = this.isSymbol(symbol);
    if (isNext) this.#next += 1;
    return isNext;
  }

  /** Whether the symbol comes next. */
  isSymbol(symbol: string): boolean {
    const { kind, text } = this.peek();
    return kind === 'symbol' && text === symbol;
  }

  /** @throws NativeQueryRefused when another word comes next */
  expectWords(...words: readonly string[]): void {
    if (this.takeWords(...words)) return;
    throw this.refusal(words.join(' ').toUpperCase(), this.isSymbol('(') ? noFunctions : undefined);
  }

  /** @throws NativeQueryRefused when something else comes next */
  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) throw this.refusal(`"${symbol}"`);
  }

  /** A name, quoted or in lower case. `meaning`: what it names. */
  expectName(meaning: string): string {
    const { kind, text } = this.peek();
    if (kind !== 'name' && kind !== 'quotedName') throw this.refusal(meaning);
    this.#next += 1;
    return text;
  }

  /** `keyspace.table`, or the same of something else that a keyspace contains. */
  expectTableName(thing = 'table'): TableName {
    const expected = `${thing === 'index' ? 'an' : 'a'} ${thing} as keyspace.${thing}`;
    const keyspace = this.expectName(expected);
    if (!this.takeSymbol('.')) throw this.refusal(expected);
    return { keyspace, table: this.expectName(`the name of ${expected.split(' as ')[0]}`) };
  }

  /** One or more items that `read` reads, separated by commas. */
  list<Item>(read: () => Item): readonly Item[] {
    const items = [read()];
    while (this.takeSymbol(',')) items.push(read());
    return items;
  }

  /** Reads a list in round brackets. */
  listInBrackets<Item>(read: () => Item): readonly Item[] {
    this.expectSymbol('(');
    const items = this.list(read);
    this.expectSymbol(')');
    return items;
  }

  /** The end of the statement, with or without its semicolon. */
  expectEnd(): void {
    this.takeSymbol(';');
    if (this.peek().kind !== 'end') throw this.refusal('the end of the statement', noClause);
  }

  /** The error for the next token. `hint`: what the client should do. */
  refusal(expected: string, hint?: string): NativeQueryRefused {
    const { kind, text, start } = this.peek();
    // A name as it was written: the token has it in lower case.
    const written = kind === 'name' ? this.#query.slice(start, start + text.length) : text;
    const shown = shortened(written, 40);
    const found = kind === 'end' ? 'the end' : kind === 'name' ? shown : JSON.stringify(shown);
    const problem = `expected ${expected}, found ${found} (${placeIn(this.#query, start)})`;
    return new NativeQueryRefused(hint === undefined ? problem : `${problem}; ${hint}`);
  }
}
