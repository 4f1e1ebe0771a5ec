// `colonnade serve`: reads the configuration and starts the server.
import { ConfigProblems, loadConfig } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { type CliCommand, exitUsage } from './cli-command.js';
import { optionHelp } from './option-help.js';

/**
 * The command; `start` resolves when the server is ready and keeps the process alive. It may read the configuration
 * again later. Its errors are thrown, except configuration problems that appear only at the start.
 */
export function serveCommand(
  start: (config: Config, readConfigAgain: () => Config) => Promise<void>,
): CliCommand {
  return {
    name: 'serve',
    summary: 'serves the table data service and the operations port',
    help: () => `${usage}${optionHelp()}`,
    run: async (args, output) => {
      try {
        await start(loadConfig(args), () => loadConfig(args));
        return undefined;
      } catch (error) {
        if (!(error instanceof ConfigProblems)) throw error;
        output.problem(`colonnade: ${error.message}\nFor the options: colonnade serve --help\n`);
        return exitUsage;
      }
    },
  };
}

const usage = `Serves the table data service and the operations port until SIGTERM or SIGINT.

Usage: colonnade serve [OPTIONS]

An option on the command line takes precedence over its environment variable, the
variable over the config file, and the file over the default.

Exit codes: 0 stopped, 1 failed, 2 the configuration cannot be used.

Options:
`;
