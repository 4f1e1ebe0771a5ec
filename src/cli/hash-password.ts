// `colonnade hash-password`: makes the hash of a password for the list of users in the config file.
import { hashPassword } from '../foundation/secrets/password-hash.js';
import { type CliCommand, exitUsage } from './cli-command.js';

/** The command; `readPassword` returns one line of standard input, with a prompt on a terminal. */
export function hashPasswordCommand(readPassword: () => Promise<string>): CliCommand {
  return {
    name: 'hash-password',
    summary: 'makes the hash of a password for --ops-users',
    help: () => usage,
    run: async (args, output) => {
      if (args.length > 0) {
        output.problem('colonnade: other users can see a password on the command line: use standard input\n');
        return exitUsage;
      }
      const password = await readPassword();
      if (password === '') {
        output.problem('colonnade: the password is empty\n');
        return exitUsage;
      }
      output.out(`${await hashPassword(password)}\n`);
      return 0;
    },
  };
}

const usage = `Reads a password from standard input and prints its hash, for the config file:

  {"ops": {"users": [{"name": "ada", "role": "operator", "password_hash": "HASH"}]}}

Usage: colonnade hash-password
`;
