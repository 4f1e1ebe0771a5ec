// Options on the command line: `--name value` and `--name=value`.
import { parseArgs } from 'node:util';
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
    } else if (text === undefined && next?.kind === 'option' && !isLikeOption(next.rawName)) {
      // Meant as the value, perhaps a secret, it is not shown; each letter behind one dash is a token of its own.
      at = tokens.findLastIndex(({ index }) => index === next.index);
    }
    const option = optionList.find(({ name }) => token.rawName === `--${name}`);
    if (option === undefined) {
      problems.push(`${token.rawName} is not an option${nearestHint(token.rawName, names)}`);
    } else if (text === undefined) {
      const dashed = `one that begins with a dash is written ${token.rawName}=VALUE`;
      problems.push(`${token.rawName} needs a value; it must be ${option.kind.wanted}; ${dashed}`);
    } else if (values.has(option.key)) {
      problems.push(`${token.rawName} is set more than once`);
    } else {
      values.set(option.key, { origin: token.rawName, text });
    }
  }
  return { values, problems };
}

/** Whether it is the name of an option, or a misspelt one. */
function isLikeOption(rawName: string): boolean {
  return rawName.startsWith('--') && nearestName(rawName, names) !== undefined;
}
