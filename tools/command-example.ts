// An example of a command, for docs/commands.md.
import type { Dialect } from '../src/data-service/column-types/dialect.js';
import type { Target } from '../src/data-service/commands/command.js';

/** A request and its whole reply. */
export interface CommandExample {
  readonly command: string;
  readonly target: Target;
  readonly path: string;
  readonly request: string;
  /** `<id>` stands for the id of a warning, `…` for text that is left out. */
  readonly reply: string;
  /** Absent: every dialect has the command. */
  readonly dialect?: Dialect;
}
