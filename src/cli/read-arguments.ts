// Reads the arguments of a command, and says in words which of them cannot be used.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestHint } from '../foundation/nearest-name.js';

/** What a command accepts. */
export interface Arguments {
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Whether it takes arguments that are not options. Default: no. */
  readonly allowPositionals?: boolean;
}

/** The values of the options and the other arguments. */
export type ReadArguments<Accepted extends Arguments> = ReturnType<
  typeof parseArgs<Accepted & { args: string[] }>
>;

/** The arguments cannot be used. The message is for the user. */
class Misuse extends Error {}

/**
 * What `use` makes of the arguments; a string is the problem, of the arguments or of `use`.
 */
export function withArguments<const Accepted extends Arguments, Result>(
  args: readonly string[],
  accepted: Accepted,
  use: (read: ReadArguments<Accepted>) => Result | string,
): Result | string {
  let read: ReadArguments<Accepted>;
  try {
    read = parse(args, accepted);
    const repeated = repeatedOption(args, accepted);
    if (repeated !== undefined) return `${repeated} is set more than once`;
    // A script may pass a variable that is not set. As a path, an empty text would name the present directory.
    const positionals: readonly string[] = read.positionals;
    if (positionals.includes('')) return 'an argument is empty';
  } catch (error) {
    if (error instanceof Misuse) return error.message;
    throw error;
  }
  return use(read);
}

/** @throws Misuse */
function parse<const Accepted extends Arguments>(
  args: readonly string[],
  accepted: Accepted,
): ReadArguments<Accepted> {
  try {
    return parseArgs({ ...accepted, args: [...args] });
  } catch (error) {
    // Node names no other option, and explains its own syntax.
    if (!(error instanceof TypeError) || !('code' in error)) throw error;
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    throw new Misuse(firstProblem(args, accepted) ?? error.message);
  }
}

function firstProblem(args: readonly string[], accepted: Arguments): string | undefined {
  const { options, allowPositionals = false } = accepted;
  const known = Object.keys(options);
  for (const token of tokensOf(args, options)) {
    if (token.kind === 'positional' && !allowPositionals)
      return `"${token.value}" is not expected: the command has options only, which begin with --`;
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (option === undefined)
      return `there is no option ${token.rawName}${nearestHint(token.name, known, (name) => `--${name}`)}`;
    if (option.type === 'boolean' && token.value !== undefined)
      return `${token.rawName} does not accept a value`;
    if (option.type === 'string' && (token.value === undefined || isDoubtful(token)))
      return `${token.rawName} needs a value; one that begins with a dash is written --${token.name}=VALUE`;
  }
  return undefined;
}

/** An option whose values before the last would be ignored. */
function repeatedOption(args: readonly string[], { options }: Arguments): string | undefined {
  const seen = new Set<string>();
  for (const token of tokensOf(args, options)) {
    if (token.kind !== 'option') continue;
    const { type, multiple = false } = options[token.name] ?? { type: 'boolean' };
    if (type === 'string' && !multiple && seen.has(token.name)) return token.rawName;
    seen.add(token.name);
  }
  return undefined;
}

function tokensOf(args: readonly string[], options: Arguments['options']) {
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** Whether the next argument looks as if it were an option. */
function isDoubtful({
  value,
  inlineValue,
}: {
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}) {
  return inlineValue !== true && value !== undefined && value.startsWith('-') && value !== '-';
}
