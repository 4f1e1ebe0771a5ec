// Options on the command line: `--name value` and `--name=value`.
import { nearestHint, nearestName } from '../nearest-name.js';
import type { GivenValue, SourceReading } from './config-source.js';
import { optionList } from './options.js';

const names = optionList.map(({ name }) => `--${name}`);

/**
 * Reads arguments. A value that begins with a dash must be written `--name=value`. The argument after an unknown option
 * counts as its value.
 */
export function readCommandLine(args: readonly string[]): SourceReading {
  const values = new Map<string, GivenValue>();
  const problems: string[] = [];
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);

  for (let at = 0; at < options.length; at += 1) {
    const arg = options[at] ?? '';
    if (!hasDash(arg)) {
      problems.push(strayProblem(arg));
      continue;
    }
    const { rawName, inlineValue } = parts(arg);
    const next = options[at + 1];
    let text = inlineValue;
    if (text === undefined && next !== undefined) {
      if (!hasDash(next)) text = next;
      // An argument that names no option was meant as the value, perhaps a secret, and is not shown.
      if (text !== undefined || !isLikeOption(parts(next).rawName)) at += 1;
    }
    const option = optionList.find(({ name }) => rawName === `--${name}`);
    if (option === undefined) {
      problems.push(`${rawName} is not an option${nearestHint(rawName, names)}`);
    } else if (text === undefined) {
      const dashed = `one that begins with a dash is written ${rawName}=VALUE`;
      problems.push(`${rawName} needs a value; it must be ${option.kind.wanted}; ${dashed}`);
    } else if (values.has(option.key)) {
      problems.push(`${rawName} is set more than once`);
    } else {
      values.set(option.key, { origin: rawName, text });
    }
  }
  if (end >= 0) problems.push(...args.slice(end + 1).map(strayProblem));
  return { values, problems };
}

function strayProblem(arg: string): string {
  return `"${arg}" is not an option: options begin with --`;
}

/** Whether it looks like an option; `-` alone is often the name of standard input. */
function hasDash(arg: string): boolean {
  return arg.startsWith('-') && arg !== '-';
}

/** `--name=value` in parts. */
function parts(arg: string): { readonly rawName: string; readonly inlineValue: string | undefined } {
  const equals = arg.indexOf('=', 3);
  if (!arg.startsWith('--') || equals < 0) return { rawName: arg, inlineValue: undefined };
  return { rawName: arg.slice(0, equals), inlineValue: arg.slice(equals + 1) };
}

/** Whether it is the name of an option, or a misspelt one. */
function isLikeOption(rawName: string): boolean {
  return rawName.startsWith('--') && nearestName(rawName, names) !== undefined;
}
