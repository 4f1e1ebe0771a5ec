// An option of the configuration, and how the tables of options are written.
import { type OptionKind, secretKind } from './option-kinds.js';

/** An option with everything that help, docs and checks need. */
export interface Option<Value = unknown> {
  /** Its name on the command line, without the dashes. */
  readonly name: string;
  readonly kind: OptionKind<NonNullable<Value>>;
  /** Undefined if the option has no default. */
  readonly default: Value;
  /** One paragraph for the help. */
  readonly help: string;
}

/** An option with a default. */
export function required<Value>(option: {
  readonly name: string;
  readonly kind: OptionKind<NonNullable<Value>>;
  readonly default: NoInfer<Value>;
  readonly help: string;
}): Option<Value> {
  return option;
}

/** An option that can be absent. */
export function optional<Value>(option: Omit<Option<Value>, 'default'>): Option<Value | undefined> {
  return { ...option, default: undefined };
}

/** An option whose value is never shown. */
export function secret(option: Pick<Option, 'name' | 'help'>): Option<string | undefined> {
  return optional({ ...option, kind: secretKind });
}
