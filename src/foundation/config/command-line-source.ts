// Options on the command line: `--name value` and `--name=value`.
import { parseArgs } from 'node:util';
import { nearestName } from '../nearest-name.js';
import type { GivenValue, SourceReading } from './config-source.js';
import { optionList } from './options.js';

/**
 * Reads arguments. A value that begins with a dash must be written `--name=value`. The argument after an unknown option
 * counts as its value.
 */
export function readCommandLine(args: readonly string[]): SourceReading {
  const values = new Map<string, GivenValue>();
  const problems: string[] = [];
  const { tokens } = parseArgs({ args: [...args], strict: false, allowPositionals: true, tokens: true });

  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind === 'positional')
      problems.push(`"${token.value}" is not an option: options begin with --`);
    if (token?.kind !== 'option') continue;

    const next = tokens[at + 1];
    let text = token.value;
    if (text === undefined && next?.kind === 'positional') {
      text = next.value;
      at += 1;
    }
    const option = optionList.find(({ name }) => token.rawName === `--${name}`);
    if (option === undefined) {
      problems.push(`${token.rawName} is not an option${hintFor(token.rawName)}`);
    } else if (text === undefined) {
      problems.push(`${token.rawName} needs a value; it must be ${option.kind.wanted}`);
    } else if (values.has(option.key)) {
      problems.push(`${token.rawName} is set more than once`);
    } else {
      values.set(option.key, { origin: token.rawName, text });
    }
  }
  return { values, problems };
}

function hintFor(rawName: string): string {
  const nearest = nearestName(
    rawName,
    optionList.map(({ name }) => `--${name}`),
  );
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
