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
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
    const about = word === 'help' ? commands.find(({ name }) => name === rest[0]) : undefined;
    const text = about === undefined ? overview(commands) : about.help();
    if (word === undefined) output.problem(text);
    else output.out(text);
    return word === undefined ? exitUsage : 0;
  }

  const command = commands.find(({ name }) => name === word);
  if (command === undefined) {
    const names = commands.map(({ name }) => name);
    const nearest = nearestName(word, names);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const list = names.join(', ');
    output.problem(
      `colonnade: "${word}" is not a command.${hint} Commands: ${list}. Try: colonnade --help\n`,
    );
    return exitUsage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    output.out(command.help());
    return 0;
  }
  return command.run(rest, output);
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
