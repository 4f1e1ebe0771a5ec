// Renders the reference of commands from their registry and their examples.
import type { Command, Target } from '../src/data-service/commands/command.js';
import { commands } from '../src/data-service/commands/registry.js';
import type { Shape } from '../src/data-service/commands/shape.js';
import type { CommandExample } from './command-example.js';
import { examplesOf } from './command-examples.js';
import { renderTable } from './render-table.js';

const paths: Readonly<Record<Target, string>> = {
  database: '/v1',
  keyspace: '/v1/{keyspace}',
  table: '/v1/{keyspace}/{table}',
  collection: '/v1/{keyspace}/{collection}',
};

/** The text below the title of docs/commands.md. */
export function renderCommands(): string {
  const rows = commands.map((command) => [linkTo(command), `\`${paths[command.target]}\``, command.help]);
  const overview = renderTable(['command', 'path', 'what it does'], rows);
  return `${introduction}\n${overview}\n${commands.map(renderCommand).join('\n')}`;
}

const introduction = `Send a command with \`POST\` to the path of its target.
The body is a JSON object with one member: the name of the command, with its fields.
The reply has the members \`data\`, \`status\` and \`errors\`; those that are empty are left out.
An unknown member is an error; \`null\` is the same as absent.
[errors.md](errors.md) lists the errors and warnings, [column-types.md](column-types.md) the values of columns.
The replies are real, with “…” for omitted parts. Their tables come from the example of createTable.
`;

function renderCommand(command: Command): string {
  const { target, help, shape, replacement, dialect } = command;
  const rows = membersOf(shape).map(([member, { wanted }]) => [`\`${member}\``, wanted]);
  const members = rows.length === 0 ? 'The command has no fields.\n' : renderTable(['field', 'value'], rows);
  const replacing = commands.find((other) => other.target === target && other.name === replacement);
  const deprecation = replacing === undefined ? '' : ` Use ${linkTo(replacing)}.`;
  const availability = dialect === undefined ? '' : ` Only with \`--dialect ${dialect}\`.`;
  const examples = examplesOf(command).map(renderExample);
  const head = `## ${headingOf(command)}\n\n\`POST ${paths[target]}\`\n\n${help}${deprecation}${availability}`;
  return `${head}\n\n${members}\n${examples.join('\n')}`;
}

/** With the target where commands of several targets have the same name. */
function headingOf({ name, target }: Command): string {
  const isShared = commands.some((other) => other.name === name && other.target !== target);
  return isShared ? `${name} of a ${target}` : name;
}

function linkTo(command: Command): string {
  const anchor = headingOf(command).toLowerCase().replaceAll(' ', '-');
  return `[\`${command.name}\`](#${anchor})`;
}

function membersOf(shape: Shape<unknown>, within = ''): readonly (readonly [string, Shape<unknown>])[] {
  return Object.entries(shape.members ?? {}).flatMap(([name, member]) => {
    const path = within + name;
    return [[path, member] as const, ...membersOf(member, `${path}.`)];
  });
}

function renderExample({ path, request, reply }: CommandExample): string {
  return `\`\`\`\nPOST ${path}\n${request}\n\n${reply}\n\`\`\`\n`;
}
