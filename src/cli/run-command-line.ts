// Finds the command that a command line names and runs it.
import { nearestName } from '../foundation/nearest-name.js';
import { type CliCommand, type CliOutput, exitUsage } from './cli-command.js';

/**
 * Runs `colonnade ARGS`.
 * Returns the exit code, or undefined while the process continues to serve.
 */
export async function runCommandLine(
  args: readonly string[],
  commands: readonly CliCommand[],
  version: string,
  output: CliOutput,
): Promise<number | undefined> {
  const [word, ...rest] = args;
  if (word === '--version' || word === '-v') {
    output.out(`${version}\n`);
    return 0;
  }
  const all: readonly CliCommand[] = [...commands, helpCommand(() => all)];
  if (word === undefined) {
    output.problem(overview(all));
    return exitUsage;
  }
  const name = word === '--help' || word === '-h' ? helpName : word;
  const command = all.find((each) => each.name === name);
  if (command === undefined) return refuse(word, all, output);
  if (rest.includes('--help') || rest.includes('-h')) {
    output.out(command.help());
    return 0;
  }
  return rest.includes('--json') ? runForScript(command, rest, output) : command.run(rest, output);
}

const helpName = 'help';

/** Shows the help of any command, itself included. `commands` has it, too. */
function helpCommand(commands: () => readonly CliCommand[]): CliCommand {
  return {
    name: helpName,
    summary: 'shows this list, or the options of a command',
    help: () => helpUsage,
    run: async (args, output) => {
      const about = args.find((arg) => !arg.startsWith('-'));
      if (about === undefined) {
        output.out(overview(commands()));
        return 0;
      }
      const command = commands().find(({ name }) => name === about);
      if (command === undefined) return refuse(about, commands(), output);
      output.out(command.help());
      return 0;
    },
  };
}

const helpUsage = `Usage: colonnade help [COMMAND]

Without COMMAND it lists the commands. With it, it shows the options of that
command, as colonnade COMMAND --help does.
`;

/** A command that cannot be used has not read its options, so its JSON is printed here. */
async function runForScript(
  command: CliCommand,
  args: readonly string[],
  output: CliOutput,
): Promise<number | undefined> {
  let problem = '';
  const code = await command.run(args, {
    ...output,
    problem: (text) => {
      problem += text;
      output.problem(text);
    },
  });
  if (code !== exitUsage) return code;
  const problems = [problem.trim().replace(/^colonnade: /, '')];
  output.out(`${JSON.stringify({ ok: false, problemCount: 1, problems })}\n`);
  return code;
}

function refuse(word: string, commands: readonly CliCommand[], output: CliOutput): number {
  const names = commands.map(({ name }) => name);
  const nearest = nearestName(word, names);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  output.problem(
    `colonnade: "${word}" is not a command.${hint} Commands: ${names.join(', ')}. Try: colonnade --help\n`,
  );
  return exitUsage;
}

function overview(commands: readonly CliCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}   ${summary}\n`);
  return `The JSON Data API for tables and documents, served by one Node.js process.

Usage: colonnade COMMAND [OPTIONS]

Commands:
${lines.join('')}
colonnade COMMAND --help   shows the options of a command
colonnade --version        prints the version
`;
}
