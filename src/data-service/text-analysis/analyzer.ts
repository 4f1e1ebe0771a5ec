// Analyzers: how a text becomes the tokens of a text index.
import type { JsonText } from '../../foundation/json/json-value.js';

/** Turns texts into tokens. */
export interface Analyzer {
  /** The definition as it was sent. It identifies the analyzer. */
  readonly definition: JsonText;
  /** The maximum length of a text in UTF-16 units, so that its tokens fit in memory. */
  readonly mostCharacters: number;
  /** The tokens of a text, in its order; none is empty. */
  analyze(text: string): readonly string[];
}

/** Changes a text before it is split. */
export type CharFilter = (text: string) => string;

/** Splits a text into tokens. */
export interface Tokenizer {
  /** The maximum length of a text in UTF-16 units, so that its tokens fit in memory and take limited time. */
  readonly mostCharacters: number;
  split(text: string): readonly string[];
}

/** Changes, adds or removes tokens. */
export type TokenFilter = (tokens: readonly string[]) => readonly string[];

/** The parts of an analyzer, in the order in which they work. */
export interface AnalyzerParts {
  readonly charFilters: readonly CharFilter[];
  readonly tokenizer: Tokenizer;
  readonly filters: readonly TokenFilter[];
}

/** The definition of an analyzer is not possible. The message gives the reason. */
export class InvalidAnalyzer extends Error {}

/** The maximum length of a text for tokenizers that give at most one token for each character, in linear time. */
export const usualMostCharacters = 4 * 1024 * 1024;

/**
 * How long a text of a length takes at most, in characters of the usual tokenizers: the longest text that an analyzer
 * splits takes about a second, whichever it is.
 */
export function analysisUnits(length: number, { mostCharacters }: Pick<Analyzer, 'mostCharacters'>): number {
  return length * (usualMostCharacters / mostCharacters);
}

/** Creates an analyzer from its parts. */
export function makeAnalyzer(
  definition: JsonText,
  { charFilters, tokenizer, filters }: AnalyzerParts,
): Analyzer {
  return {
    definition,
    mostCharacters: tokenizer.mostCharacters,
    analyze: (text) => {
      const filtered = charFilters.reduce((before, filter) => filter(before), text);
      const tokens = filters.reduce((before, filter) => filter(before), tokenizer.split(filtered));
      return tokens.includes('') ? tokens.filter((token) => token !== '') : tokens;
    },
  };
}
