// Patterns of the tokenizer `pattern`: a part of the regular expressions of Java, compiled to a program whose search
// takes linear time. What the part does not have is refused.
import { InvalidAnalyzer } from './analyzer.js';
import { readClass, readEscape } from './pattern-classes.js';
import { type CharacterTest, PatternText } from './pattern-text.js';

/** An instruction. Targets are places in the program; of two targets the first one is preferred. */
export type Instruction =
  | { readonly kind: 'character'; readonly matches: CharacterTest }
  | { readonly kind: 'split'; readonly first: number; readonly second: number }
  | { readonly kind: 'mark'; readonly group: number; readonly isEnd: boolean }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'found' };

type Place = 'start' | 'end' | 'boundary' | 'inside';

/** The program of a pattern, which has at least one instruction, and the number of its groups. */
export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly groups: number;
}

type Node =
  | { readonly kind: 'character'; readonly matches: CharacterTest }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'group'; readonly group: number; readonly node: Node }
  | { readonly kind: 'place'; readonly place: Place }
  | {
      readonly kind: 'repeat';
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

const longestPattern = 1_000;
const mostInstructions = 1_000;
const mostNested = 50;
const lineEnds = new Set([0x0a, 0x0d, 0x85, 0x2028, 0x2029]);

/** @throws InvalidAnalyzer for a pattern that is not well-formed, that has other parts than these, or is too long */
export function compilePattern(pattern: string): PatternProgram {
  if (pattern.length > longestPattern)
    throw new InvalidAnalyzer(
      `the pattern has ${pattern.length} characters; at most ${longestPattern} are allowed`,
    );
  const parser = new PatternParser(pattern);
  const node = parser.parse();
  const instructions: Instruction[] = [];
  emit(node, instructions);
  instructions.push({ kind: 'found' });
  return { instructions, groups: parser.groups };
}

class PatternParser extends PatternText {
  groups = 0;
  #nested = 0;

  parse(): Node {
    const node = this.#choice();
    if (this.peek() !== '') throw this.refuse(`"${this.peek()}" closes nothing`);
    return node;
  }

  #choice(): Node {
    const nodes = [this.#sequence()];
    while (this.takes('|')) nodes.push(this.#sequence());
    const [only] = nodes;
    return only !== undefined && nodes.length === 1 ? only : { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (!['', '|', ')'].includes(this.peek())) nodes.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', nodes };
  }

  #atom(): Node {
    const character = this.next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return { kind: 'character', matches: readClass(this) };
      case '.':
        return { kind: 'character', matches: (codePoint) => !lineEnds.has(codePoint) };
      case '^':
        return { kind: 'place', place: 'start' };
      case '$':
        return { kind: 'place', place: 'end' };
      case '\\':
        if (this.takes('b')) return { kind: 'place', place: 'boundary' };
        if (this.takes('B')) return { kind: 'place', place: 'inside' };
        return { kind: 'character', matches: readEscape(this) };
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.refuse(`"${character}" repeats nothing`);
      default: {
        const own = character.codePointAt(0);
        return { kind: 'character', matches: (codePoint) => codePoint === own };
      }
    }
  }

  #group(): Node {
    const isCounted = !this.takes('?:');
    if (this.peek() === '?') throw this.refuse(`groups that begin with "(?" are not supported, except "(?:"`);
    this.#nested += 1;
    if (this.#nested > mostNested) throw this.refuse(`its groups are nested more than ${mostNested} deep`);
    if (isCounted) this.groups += 1;
    const group = this.groups;
    const node = this.#choice();
    if (!this.takes(')')) throw this.refuse('a group is not closed');
    this.#nested -= 1;
    return isCounted ? { kind: 'group', group, node } : node;
  }

  #repeated(node: Node): Node {
    const count = this.#count();
    if (count === undefined) return node;
    const [least, most] = count;
    if (this.peek() === '+') throw this.refuse('a "+" behind a repetition is not supported');
    const isLazy = this.takes('?');
    if (['*', '+', '{'].includes(this.peek())) throw this.refuse(`"${this.peek()}" repeats nothing`);
    return { kind: 'repeat', node, least, most, isLazy };
  }

  #count(): readonly [least: number, most: number] | undefined {
    if (this.takes('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.takes('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.takes('?')) return [0, 1];
    if (this.peek() !== '{') return undefined;
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.text.slice(this.at, this.at + 12));
    if (found === null) throw this.refuse('a "{" needs numbers such as {2} or {2,5}');
    this.at += found[0].length;
    const least = Number(found[1]);
    const most =
      found[2] === undefined ? least : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (most < least) throw this.refuse(`${found[0]} ends below its beginning`);
    return [least, most];
  }
}

function emit(node: Node, program: Instruction[]): void {
  if (program.length > mostInstructions)
    throw new InvalidAnalyzer(`the pattern has more than ${mostInstructions} parts, with repeated ones`);
  switch (node.kind) {
    case 'character':
    case 'place':
      program.push(node);
      return;
    case 'sequence':
      for (const part of node.nodes) emit(part, program);
      return;
    case 'group':
      program.push({ kind: 'mark', group: node.group, isEnd: false });
      emit(node.node, program);
      program.push({ kind: 'mark', group: node.group, isEnd: true });
      return;
    case 'choice':
      emitChoice(node.nodes, program);
      return;
    case 'repeat':
      for (let count = 0; count < node.least; count += 1) emit(node.node, program);
      if (node.most === Number.POSITIVE_INFINITY) emitLoop(node.node, node.isLazy, program);
      else emitOptional(node.node, node.most - node.least, node.isLazy, program);
  }
}

function emitChoice([first, ...others]: readonly Node[], program: Instruction[]): void {
  if (first === undefined) return;
  if (others.length === 0) {
    emit(first, program);
    return;
  }
  const at = program.push({ kind: 'split', first: 0, second: 0 }) - 1;
  emit(first, program);
  const end = program.push({ kind: 'split', first: 0, second: 0 }) - 1;
  program[at] = { kind: 'split', first: at + 1, second: program.length };
  emitChoice(others, program);
  program[end] = jumpTo(program.length);
}

function emitLoop(node: Node, isLazy: boolean, program: Instruction[]): void {
  const at = program.push({ kind: 'split', first: 0, second: 0 }) - 1;
  emit(node, program);
  program.push(jumpTo(at));
  program[at] = branch(at + 1, program.length, isLazy);
}

function emitOptional(node: Node, count: number, isLazy: boolean, program: Instruction[]): void {
  const places: number[] = [];
  for (let each = 0; each < count; each += 1) {
    places.push(program.push({ kind: 'split', first: 0, second: 0 }) - 1);
    emit(node, program);
  }
  for (const at of places) program[at] = branch(at + 1, program.length, isLazy);
}

function branch(inside: number, behind: number, isLazy: boolean): Instruction {
  return { kind: 'split', first: isLazy ? behind : inside, second: isLazy ? inside : behind };
}

function jumpTo(place: number): Instruction {
  return { kind: 'split', first: place, second: place };
}
