// Finds the matches of a pattern in a text, all attempts side by side, so that no pattern takes exponential time.
import type { Instruction, PatternProgram } from './pattern-program.js';
import { sizeAt } from './word-segments.js';

/** A match, or the text of a group of it: from its first unit to the one behind it. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** -1 where the group has no text. */
  readonly groupStart: number;
  readonly groupEnd: number;
}

/** A match has at most this number of UTF-16 units: with it the time of each search is limited. */
export const longestMatch = 255;

/** A way to continue a match, which has read all up to an instruction. */
class Attempt {
  /** The place of the instruction in the program. */
  readonly at: number;
  readonly start: number;
  readonly groupStart: number;
  readonly groupEnd: number;

  constructor(at: number, start: number, groupStart: number, groupEnd: number) {
    this.at = at;
    this.start = start;
    this.groupStart = groupStart;
    this.groupEnd = groupEnd;
  }

  /** The attempt at another instruction. Objects are made for each character: a spread takes ten times as long. */
  to(at: number): Attempt {
    return new Attempt(at, this.start, this.groupStart, this.groupEnd);
  }
}

/** The matches of a pattern from left to right, without overlap; `group` is the one whose place is wanted. */
export function* findMatches(program: PatternProgram, text: string, group: number): Generator<Match> {
  const search = new PatternSearch(program.instructions, text, group);
  for (let from = 0; from <= text.length; ) {
    const found = search.next(from);
    if (found === undefined) return;
    yield found;
    from = found.end === found.start ? found.end + sizeAt(text, found.end) : found.end;
  }
}

class PatternSearch {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  readonly #group: number;
  /** The turn in which an instruction was reached last: other ways to it are not preferred. */
  readonly #reached: Float64Array;
  readonly #waiting: Attempt[] = [];
  #turn = 0;

  constructor(program: readonly Instruction[], text: string, group: number) {
    this.#program = program;
    this.#text = text;
    this.#group = group;
    this.#reached = new Float64Array(program.length);
  }

  /** The first match from a place on. */
  next(from: number): Match | undefined {
    let [attempts, following]: [Attempt[], Attempt[]] = [[], []];
    let found: Match | undefined;
    this.#turn += 1;
    for (let place = from; ; ) {
      if (found === undefined) this.#follow(new Attempt(0, place, -1, -1), place, attempts);
      else if (attempts.length === 0) return found;
      const codePoint = this.#text.codePointAt(place);
      const next = place + sizeAt(this.#text, place);
      this.#turn += 1;
      for (const attempt of attempts) {
        const instruction = this.#program[attempt.at];
        if (instruction?.kind !== 'character') {
          const { start, groupStart, groupEnd } = attempt;
          found = { start, end: place, groupStart, groupEnd };
          break;
        }
        const isShort = next - attempt.start <= longestMatch;
        if (codePoint !== undefined && isShort && instruction.matches(codePoint))
          this.#follow(attempt.to(attempt.at + 1), next, following);
      }
      if (codePoint === undefined) return found;
      [attempts, following] = [following, attempts];
      following.length = 0;
      place = next;
    }
  }

  /** Adds where an attempt can read a character or is complete to a list, the preferred way first. */
  #follow(first: Attempt, place: number, attempts: Attempt[]): void {
    const waiting = this.#waiting;
    waiting.push(first);
    for (let own = waiting.pop(); own !== undefined; own = waiting.pop()) {
      const instruction = this.#program[own.at];
      if (instruction === undefined || this.#reached[own.at] === this.#turn) continue;
      this.#reached[own.at] = this.#turn;
      switch (instruction.kind) {
        case 'character':
        case 'found':
          attempts.push(own);
          break;
        case 'split':
          waiting.push(own.to(instruction.second), own.to(instruction.first));
          break;
        case 'mark':
          waiting.push(this.#marked(own, instruction.group, instruction.isEnd, place));
          break;
        case 'place':
          if (this.#isAt(instruction.place, place)) waiting.push(own.to(own.at + 1));
      }
    }
  }

  #marked(own: Attempt, group: number, isEnd: boolean, place: number): Attempt {
    const at = own.at + 1;
    if (group !== this.#group) return own.to(at);
    return isEnd
      ? new Attempt(at, own.start, own.groupStart, place)
      : new Attempt(at, own.start, place, own.groupEnd);
  }

  #isAt(wanted: 'start' | 'end' | 'boundary' | 'inside', place: number): boolean {
    if (wanted === 'start') return place === 0;
    if (wanted === 'end') return place === this.#text.length || this.#isLastLineEnd(place);
    const isBoundary = this.#isWord(place - 1) !== this.#isWord(place);
    return isBoundary === (wanted === 'boundary');
  }

  /** `$` is also before a line end that ends the text. */
  #isLastLineEnd(place: number): boolean {
    return /^(?:\r\n|[\n\r\u0085\u2028\u2029])$/.test(this.#text.slice(place, place + 3));
  }

  #isWord(place: number): boolean {
    return /^[\p{L}\p{Nd}_]/u.test(this.#text.charAt(place));
  }
}
