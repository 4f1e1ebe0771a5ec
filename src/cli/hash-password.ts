// `colonnade hash-password`: makes the hash of a password for the list of users in the config file.
import { mostOfLogin } from '../foundation/config/ops-users.js';
import { hashPassword } from '../foundation/secrets/password-hash.js';
import { type CliCommand, misused } from './cli-command.js';
import { withArguments } from './read-arguments.js';

/** The command; `readPassword` returns one line of standard input, with a prompt on a terminal. */
export function hashPasswordCommand(readPassword: () => Promise<string>): CliCommand {
  return {
    name: 'hash-password',
    summary: 'makes the hash of a password for --ops-users',
    help: () => usage,
    run: async (args, output) => {
      const options = { json: { type: 'boolean' } } as const;
      const read = withArguments(args, { options, allowPositionals: true }, ({ values, positionals }) =>
        positionals.length > 0
          ? 'other users can see a password on the command line: use standard input'
          : { isJson: values.json ?? false },
      );
      if (typeof read === 'string') return misused(output, 'hash-password', read);
      const password = await readPassword();
      if (password === '') return misused(output, 'hash-password', 'the password is empty');
      // Invalid bytes are read as U+FFFD, which no login sends.
      if (password.includes('\ufffd')) return misused(output, 'hash-password', 'the password is not UTF-8');
      if (password.length > mostOfLogin.password) return misused(output, 'hash-password', tooLong);
      const hash = await hashPassword(password);
      output.out(read.isJson ? `${JSON.stringify({ ok: true, hash })}\n` : `${hash}\n`);
      return 0;
    },
  };
}

const tooLong = `the password has more than ${mostOfLogin.password} characters, which a login does not take`;

const usage = `Reads a password from standard input and prints its hash, for the config file:

  {"ops": {"users": [{"name": "ada", "role": "operator", "password_hash": "HASH"}]}}

Usage: colonnade hash-password [--json]

Options:
  --json
      Prints {"ok":true,"hash":HASH}.
`;
