// The SQL function of text indexes: the tokens of a stored text, for the triggers that log changed texts.
import { createHash } from 'node:crypto';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { SqlFunctions } from '../../../../foundation/sqlite/database-options.js';
import { text } from '../../../column-types/text.js';
import { type Analyzer, analysisUnits } from '../../../text-analysis/analyzer.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { TokenTable } from './token-table.js';

/** Longer tokens are indexed by their hash, so that keys in the file stay short. In characters. */
const longestKept = 200;

/**
 * `text_tokens(stored, definition)`: the tokens of a stored text by the definition of an analyzer, in bytes: fields
 * that each end with U+0000. The first one is the number of all tokens in digits; then each different token, and if it
 * occurs more than once U+0001 and the number of its occurrences in digits. Null for null. Stored texts have no U+0000,
 * and U+0001 only before U+0001 or U+0002, so that SQL finds a token without reading the others.
 */
export const textFunctions: SqlFunctions = {
  text_tokens: (stored, given) => {
    if (typeof stored !== 'string') return null;
    const definition = String(given);
    return (
      (analyzing && knownTokens(analyzing, stored, definition)) ?? tokensOf(stored, analyzerOf(definition))
    );
  },
};

/** A stored text with the tokens that `text_tokens` has for it by a definition. */
export interface AnalyzedText {
  readonly stored: string;
  readonly definition: string;
  readonly tokens: Uint8Array;
}

/** Texts that take less, in units of `analysisUnits`, are analyzed within some milliseconds where they are written. */
export const longText = 64 * 1024;

/** A stored text, and the definition of an analyzer for it. */
export type WantedText = Omit<AnalyzedText, 'tokens'>;

/** Work must be repeated after other threads have analyzed these texts; what it has done must be undone. */
export class TextsToAnalyze extends Error {
  readonly texts: readonly WantedText[];

  constructor(texts: readonly WantedText[]) {
    super(`${texts.length} texts are not analyzed`);
    this.texts = texts;
  }
}

/** Work that analyzes at most so many units itself, see `analysisUnits`: some ten milliseconds. */
export const mostOwnUnits = 256 * 1024;
/** A commit of several rows or documents ends behind new texts of so many units: they are wanted at one time. */
export const portionUnits = 4 * 1024 * 1024;
/** The units of texts that are wanted at a time, so that their memory is bounded. */
const mostWantedUnits = 16 * 1024 * 1024;

interface Analyzing {
  /** By the definition and the text; undefined if there are none. */
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>> | undefined;
  unitsLeft: number;
  readonly wanted: WantedText[];
  wantedUnits: number;
}

let analyzing: Analyzing | undefined;

/**
 * The result of `work` with what is `given` to it. In its statements `text_tokens` analyzes none of these texts again,
 * and at most `mostUnits` units of others, see `analysisUnits`; TextsToAnalyze if there are more.
 * @throws what `work` throws
 */
export function withAnalyzed<Given extends readonly unknown[], Result>(
  texts: readonly AnalyzedText[],
  mostUnits: number,
  work: (...given: Given) => Result,
  ...given: Given
): Result | TextsToAnalyze {
  const present: Analyzing = { texts: byText(texts), unitsLeft: mostUnits, wanted: [], wantedUnits: 0 };
  analyzing = present;
  try {
    const result = work(...given);
    return present.wanted.length > 0 ? new TextsToAnalyze(present.wanted) : result;
  } finally {
    analyzing = undefined;
  }
}

/** Whether the work under way wants texts that are not analyzed, so that it must be repeated. */
export function wantsTexts(): boolean {
  return analyzing !== undefined && analyzing.wanted.length > 0;
}

/** The work under way has done without the texts that it wanted. */
export function forgetWanted(): void {
  analyzing?.wanted.splice(0);
}

function byText(texts: readonly AnalyzedText[]): Analyzing['texts'] {
  if (texts.length === 0) return undefined;
  const byDefinition = new Map<string, Map<string, Uint8Array>>();
  for (const { stored, definition, tokens } of texts)
    getOrMake(byDefinition, definition, () => new Map<string, Uint8Array>()).set(stored, tokens);
  return byDefinition;
}

/** The tokens of a stored text by each definition, as `text_tokens` returns them. */
export function analyzeText(stored: string, definitions: readonly string[]): readonly AnalyzedText[] {
  return definitions.map((definition) => {
    // A view of a part of a larger buffer would be copied as a whole.
    return { stored, definition, tokens: Uint8Array.from(tokensOf(stored, analyzerOf(definition))) };
  });
}

/** Undefined for a text that is to be analyzed here. */
function knownTokens(work: Analyzing, stored: string, definition: string): Uint8Array | undefined {
  const known = work.texts?.get(definition)?.get(stored);
  if (known !== undefined) return known;
  const units = analysisUnits(stored.length, analyzerOf(definition));
  work.unitsLeft -= units;
  if (work.unitsLeft >= 0) return undefined;
  // The work is repeated, so any tokens will do.
  if (work.wantedUnits < mostWantedUnits) work.wanted.push({ stored, definition });
  work.wantedUnits += units;
  return noTokens;
}

const noTokens = Uint8Array.of(0x30, 0);

/** The form of a token in indexes. */
export function indexedToken(token: string): string {
  const stored = String(text.sql.encode(token));
  if (token.length <= longestKept) return stored;
  // Not a form of another token: see `text_tokens` on U+0001.
  return `\u0001 ${createHash('sha256').update(stored).digest('hex')}`;
}

function tokensOf(stored: string, analyzer: Analyzer): Uint8Array {
  const tokens = analyzer.analyze(String(text.sql.decode(stored)));
  counted.clear();
  for (const token of tokens) counted.add(token);
  return counted.packed(tokens.length);
}

const usualTokens = 256;
/** The bytes of the token that is being counted. */
const tokenBytes = new Uint8Array(longestKept * 3);

/** Counts the tokens of a text. */
class CountedTokens {
  #table = new TokenTable(usualTokens);
  /** By the number of the token. */
  #counts = new Uint32Array(usualTokens);

  clear(): void {
    if (this.#table.isLarge) {
      this.#table = new TokenTable(usualTokens);
      this.#counts = new Uint32Array(usualTokens);
    } else this.#table.clear();
  }

  add(token: string): void {
    const before = this.#table.size;
    const number = this.#numberOf(token);
    if (number < before) this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    else {
      if (number >= this.#counts.length) {
        const counts = new Uint32Array(number * 2);
        counts.set(this.#counts);
        this.#counts = counts;
      }
      this.#counts[number] = 1;
    }
  }

  /** See `text_tokens`; `length`: the number of all tokens. */
  packed(length: number): Uint8Array {
    const counts = this.#counts;
    const { size, sizeBytes } = this.#table;
    let marks = 0;
    for (let number = 0; number < size; number += 1) if ((counts[number] ?? 0) > 1) marks += 1;
    const bytes = Buffer.allocUnsafe(10 + sizeBytes + size + marks * 10);
    let at = writeAscii(bytes, 0, `${length}\u0000`);
    for (let number = 0; number < size; number += 1) {
      at = this.#table.copyTo(bytes, at, number);
      bytes[at++] = 0;
      const count = counts[number] ?? 0;
      if (count > 1) at = writeAscii(bytes, at, `\u0001${count}\u0000`);
    }
    return bytes.subarray(0, at);
  }

  #numberOf(token: string): number {
    const size = encodeUsual(token);
    if (size > 0) return this.#table.numberOf(tokenBytes, 0, size);
    const bytes = Buffer.from(indexedToken(token));
    return this.#table.numberOf(bytes, 0, bytes.length);
  }
}

const counted = new CountedTokens();

/**
 * Writes the form of a token in indexes to `tokenBytes`, several times faster than `Buffer.from`; returns its size. 0
 * for a long token, and for one with characters that are escaped or pairs of UTF-16 units.
 */
function encodeUsual(token: string): number {
  if (token.length > longestKept) return 0;
  let size = 0;
  for (let at = 0; at < token.length; at += 1) {
    const unit = token.charCodeAt(at);
    if (unit < 0x80) {
      if (unit <= 1) return 0;
      tokenBytes[size++] = unit;
    } else if (unit < 0x800) {
      tokenBytes[size++] = 0xc0 | (unit >> 6);
      tokenBytes[size++] = 0x80 | (unit & 0x3f);
    } else {
      if (unit >= 0xd800 && unit <= 0xdfff) return 0;
      tokenBytes[size++] = 0xe0 | (unit >> 12);
      tokenBytes[size++] = 0x80 | ((unit >> 6) & 0x3f);
      tokenBytes[size++] = 0x80 | (unit & 0x3f);
    }
  }
  return size;
}

function writeAscii(bytes: Uint8Array, start: number, written: string): number {
  for (let at = 0; at < written.length; at += 1) bytes[start + at] = written.charCodeAt(at);
  return start + written.length;
}
