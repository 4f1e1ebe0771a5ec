// Options in the environment: `COLONNADE_DATA_DIR` is `--data-dir`.
import { nearestHint } from '../nearest-name.js';
import type { ConfigSources, GivenValue, SourceReading } from './config-source.js';
import { environmentName, environmentPrefix, optionList } from './options.js';

/**
 * What Kubernetes adds to the environment of each container for a service of our name, as COLONNADE_SERVICE_HOST and
 * COLONNADE_PORT_8181_TCP; and COLONNADE_PORT, by its value.
 */
const serviceName =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const serviceAddress = /^(?:tcp|udp|sctp):\/\//;

function isOfService(name: string, text: string): boolean {
  return serviceName.test(name) || (name.endsWith('_PORT') && serviceAddress.test(text));
}

/** Variables of the command line, which a server that is started in the same environment ignores. */
export const clientVariables = [
  'COLONNADE_SESSION',
  'COLONNADE_FROM_TOKEN',
  'COLONNADE_FROM_SESSION',
] as const;

function isOfClient(name: string): boolean {
  return clientVariables.some((variable) => variable === name);
}

/** Reads every variable with our prefix; one that is neither an option nor set by Kubernetes is a problem. */
export function readEnvironment(environment: ConfigSources['environment']): SourceReading {
  const values = new Map<string, GivenValue>();
  const problems: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(environmentPrefix) || text === undefined) continue;
    if (isOfService(name, text) || isOfClient(name)) continue;
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
