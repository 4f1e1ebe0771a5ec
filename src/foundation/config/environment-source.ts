// Options in the environment: `COLONNADE_DATA_DIR` is `--data-dir`.
import { nearestHint } from '../nearest-name.js';
import type { ConfigSources, GivenValue, SourceReading } from './config-source.js';
import { environmentName, environmentPrefix, optionList } from './options.js';

/** Reads every variable with our prefix; one that is not an option is a problem. */
export function readEnvironment(environment: ConfigSources['environment']): SourceReading {
  const values = new Map<string, GivenValue>();
  const problems: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(environmentPrefix) || text === undefined) continue;
    const option = optionList.find((known) => environmentName(known) === name);
    if (option === undefined)
      problems.push(`the environment variable ${name} is not an option${hintFor(name)}`);
    else values.set(option.key, { origin: `the environment variable ${name}`, text });
  }
  return { values, problems };
}

/** The prefix is not compared: it would make unlike names similar. */
function hintFor(name: string): string {
  const rest = (full: string) => full.slice(environmentPrefix.length);
  const names = optionList.map((option) => rest(environmentName(option)));
  return nearestHint(rest(name), names, (nearest) => environmentPrefix + nearest);
}
