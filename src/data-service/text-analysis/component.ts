// The components that definitions of analyzers name, and how their arguments are read.
import { InvalidAnalyzer } from './analyzer.js';

/** A tokenizer or filter that definitions can name. */
export interface Component<Part> {
  /** In lower case; definitions may write it in any case. */
  readonly name: string;
  /** The names of its arguments. */
  readonly takes: readonly string[];
  /** @throws InvalidAnalyzer for arguments that are not possible */
  make(given: Arguments): Part;
}

/** The arguments of a component in a definition: texts by their names. */
export type Arguments = ReadonlyMap<string, string>;

/**
 * Makes a part from its name and arguments. `kind` names its kind in errors.
 * @throws InvalidAnalyzer for an unknown name, an unknown argument or an argument that is not possible
 */
export function makePart<Part>(
  kind: string,
  components: readonly Component<Part>[],
  name: string,
  given: Arguments,
): Part {
  const component = components.find((each) => each.name === name.toLowerCase());
  if (component === undefined) {
    const known = components.map((each) => each.name).join(', ');
    throw new InvalidAnalyzer(`the ${kind} "${name}" is unknown; known: ${known}`);
  }
  const unknown = [...given.keys()].find((argument) => !component.takes.includes(argument));
  if (unknown === undefined) return component.make(given);
  const known = component.takes.length === 0 ? 'none' : component.takes.join(', ');
  throw new InvalidAnalyzer(`the ${kind} "${name}" has no argument "${unknown}"; its arguments: ${known}`);
}

/** An argument that is an integer. Without a fallback it is required. @throws InvalidAnalyzer */
export function integerArgument(
  given: Arguments,
  name: string,
  { least, most, fallback }: { readonly least: number; readonly most: number; readonly fallback?: number },
): number {
  const text = given.get(name);
  if (text === undefined) {
    if (fallback !== undefined) return fallback;
    throw new InvalidAnalyzer(`the argument "${name}" is missing`);
  }
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw new InvalidAnalyzer(
    `the argument "${name}" must be an integer from ${least} to ${most} as a string, but is "${text}"`,
  );
}

/** An argument that is `true` or `false`; false by default. @throws InvalidAnalyzer */
export function flagArgument(given: Arguments, name: string): boolean {
  return choiceArgument(given, name, ['false', 'true']) === 'true';
}

/** An argument that is one of some texts, in any case; the first one is the default. @throws InvalidAnalyzer */
export function choiceArgument<Choice extends string>(
  given: Arguments,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const text = given.get(name);
  if (text === undefined) return choices[0];
  const found = choices.find((choice) => choice === text.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidAnalyzer(`the argument "${name}" must be one of ${choices.join(', ')}, but is "${text}"`);
}
