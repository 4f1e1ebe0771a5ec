// `colonnade keys`: changes the key store of a running server over its operations port.
import { printable } from '../files/printable-text.js';
import type { SendRequest } from '../foundation/http/send-request.js';
import { type CliCommand, misused } from './cli-command.js';
import {
  askPort,
  cellText,
  elementsOf,
  type OperationsPort,
  type PortRequest,
  portFor,
  portOptions,
  portOptionsHelp,
  readReply,
} from './operations-port.js';
import { withArguments } from './read-arguments.js';
import { shown } from './result-output.js';

/** What the command needs from the process. */
export interface KeysSurroundings {
  readonly sendRequest: SendRequest;
  /** One line of standard input for each prompt; on a terminal there are prompts, and the input is not shown. */
  readonly readSecrets: (prompts: readonly string[]) => Promise<readonly string[]>;
}

const limits = { timeoutMs: 15_000, maxBodyBytes: 4 * 1024 * 1024 };

/** The command. Its exit codes: 0 done, 1 the server refused or did not answer, 2 wrong use. */
export function keysCommand(surroundings: KeysSurroundings): CliCommand {
  return {
    name: 'keys',
    summary: 'sets, lists and deletes the keys of embedding providers on a running server',
    help: () => usage,
    run: async (args, output) => {
      const asked = readArguments(args);
      if (typeof asked === 'string') return misused(output, 'keys', asked);
      const secrets = asked.action === 'set' ? await readEntry(asked, surroundings) : undefined;
      if (typeof secrets === 'string') return misused(output, 'keys', secrets);
      const bound = asked.providers === undefined ? {} : { providers: asked.providers };
      const body = secrets === undefined ? {} : { body: { ...secrets, ...bound } };
      const request = { ...limits, ...requestOf(asked), ...body };
      const reply = await askPort(request, asked.port, surroundings.sendRequest);
      if ('problem' in reply) {
        output.problem(`colonnade: ${shown(reply.problem)}\n`);
        if (asked.isJson)
          output.out(`${printable(JSON.stringify({ ok: false, problems: [reply.problem] }))}\n`);
        return 1;
      }
      const text = shownResult(asked, reply.text);
      output.out(text);
      if (text === '')
        output.problem('colonnade: the server has no keys; to add one: colonnade keys set NAME\n');
      return 0;
    },
  };
}

interface Asked {
  readonly action: 'set' | 'list' | 'delete';
  /** Empty for `list`. */
  readonly name: string;
  readonly isAws: boolean;
  readonly providers: readonly string[] | undefined;
  readonly isJson: boolean;
  readonly port: OperationsPort;
}

const providerMembers = [{ member: 'providerKey', prompt: 'Key' }];
const awsMembers = [
  { member: 'accessId', prompt: 'Access key id' },
  { member: 'secretKey', prompt: 'Secret access key' },
];

/** The request, or a message about the command line. */
function readArguments(args: readonly string[]): Asked | string {
  const own = { aws: { type: 'boolean' }, provider: { type: 'string', multiple: true } } as const;
  const options = { ...portOptions, ...own, json: { type: 'boolean' } } as const;
  return withArguments(args, { options, allowPositionals: true }, ({ values, positionals }) => {
    const [action, name = '', ...more] = positionals;
    if (action !== 'set' && action !== 'list' && action !== 'delete')
      return 'the action must be set, list or delete';
    if (action === 'list' && name !== '') return 'list does not accept a name';
    if (action !== 'list' && name === '') return `${action} needs the name of a key`;
    if (more.length > 0 && action === 'delete') return 'delete needs exactly one name';
    if (more.length > 0) return 'other users can see a secret on the command line: use standard input';
    if (action !== 'set' && values.provider !== undefined) return `${action} does not accept --provider`;
    const port = portFor(values);
    const [isAws, isJson] = [values.aws ?? false, values.json ?? false];
    return typeof port === 'string'
      ? port
      : { action, name, isAws, isJson, port, providers: values.provider };
  });
}

/** The secrets by the names of their members, or a message about what is missing. */
async function readEntry({ isAws }: Asked, { readSecrets }: KeysSurroundings): Promise<object | string> {
  const members = isAws ? awsMembers : providerMembers;
  const secrets = await readSecrets(members.map(({ prompt }) => prompt));
  const missing = members.find((_, at) => (secrets[at] ?? '') === '');
  if (missing !== undefined) return `standard input has no ${missing.prompt.toLowerCase()}`;
  return Object.fromEntries(members.map(({ member }, at) => [member, secrets[at]]));
}

function requestOf({ action, name }: Asked): Pick<PortRequest, 'method' | 'path'> {
  const path = '/local/embedding-keys';
  if (action === 'list') return { method: 'GET', path };
  return { method: action === 'set' ? 'PUT' : 'DELETE', path: `${path}/${encodeURIComponent(name)}` };
}

function shownResult({ action, name, isJson }: Asked, text: string): string {
  const names = action === 'list' ? elementsOf(readReply(text)).map(cellText) : [];
  if (isJson)
    return `${JSON.stringify({ ok: true, ...(action === 'list' ? { names } : { action, name }) })}\n`;
  switch (action) {
    case 'set':
      return `stored ${name}\n`;
    case 'delete':
      return `deleted ${name}\n`;
    case 'list':
      return names.map((one) => `${one}\n`).join('');
  }
}

const usage = `Sets, lists and deletes the keys of embedding providers on a running server. A column
refers to a key by its name: {"service": {"provider": "openai", …, "authentication": {"providerKey": "NAME"}}}.
The server never returns a secret.

Usage: colonnade keys set NAME [--aws] [--provider PROVIDER]...     reads the key from standard input
       colonnade keys list
       colonnade keys delete NAME

Options:
  --aws
      Two lines, for bedrock: the access key id and the secret access key.
  --provider PROVIDER
      The provider that may get the key; repeat it for several. Without it, a key that is set again
      keeps its providers, and a new one is for every provider that a column names, except
      huggingfaceDedicated: there the column also names the server. To give a bound key to all
      providers, delete it and set it again.
  --json
      Prints the result as one line of JSON, with the member "ok".
${portOptionsHelp}
Exit codes: 0 done, 1 refused or no answer, 2 the command line cannot be used.
`;
