// The text of a pattern while it is read.
import { InvalidAnalyzer } from './analyzer.js';

/** Whether a class of characters has a code point. */
export type CharacterTest = (codePoint: number) => boolean;

/** The text of a pattern and the place in it. */
export class PatternText {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character, which stays; empty at the end. */
  peek(): string {
    return this.startsAt(0);
  }

  startsAt(offset: number): string {
    const codePoint = this.text.codePointAt(this.at + offset);
    return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
  }

  /** Takes the next character. */
  next(): string {
    const character = this.peek();
    if (character === '') throw this.refuse('it ends too early');
    this.at += character.length;
    return character;
  }

  /** Takes a text if it is next. */
  takes(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  refuse(problem: string): InvalidAnalyzer {
    return new InvalidAnalyzer(`the pattern "${this.text}" is not possible: ${problem}`);
  }
}
