// Every operator of filters that commands can name. The registries of the data service have an entry for each of them.

/** What an operator is for people and clients. */
export interface OperatorDescription {
  /** In a form, between a field and a value. */
  readonly label: string;
  /** The form of the operand. `truth`: true or false. `count`: an integer of at least 0. `words`: a text to find. */
  readonly operand: 'value' | 'list' | 'truth' | 'count' | 'words';
  /**
   * What it compares. `values`: columns. `members`: the members of lists, sets and maps. `words`: columns with a text
   * index. `documents`: the values at paths of documents.
   */
  readonly on: readonly OperatorPlace[];
}

/** Where an operator is possible. */
export type OperatorPlace = 'values' | 'members' | 'words' | 'documents';

/** By name, in the order of forms. */
export const operatorDescriptions = {
  $eq: { label: '=', operand: 'value', on: ['values', 'documents'] },
  $ne: { label: '≠', operand: 'value', on: ['values', 'documents'] },
  $gt: { label: '>', operand: 'value', on: ['values', 'documents'] },
  $gte: { label: '≥', operand: 'value', on: ['values', 'documents'] },
  $lt: { label: '<', operand: 'value', on: ['values', 'documents'] },
  $lte: { label: '≤', operand: 'value', on: ['values', 'documents'] },
  $in: { label: 'in', operand: 'list', on: ['values', 'members', 'documents'] },
  $nin: { label: 'not in', operand: 'list', on: ['values', 'members', 'documents'] },
  $exists: { label: 'exists', operand: 'truth', on: ['documents'] },
  $all: { label: 'has all', operand: 'list', on: ['members', 'documents'] },
  $size: { label: 'size', operand: 'count', on: ['documents'] },
  $match: { label: 'matches words', operand: 'words', on: ['words'] },
} as const satisfies Readonly<Record<string, OperatorDescription>>;

type Descriptions = typeof operatorDescriptions;

/** The name of an operator that is possible in a place, with this form of operand. */
export type OperatorName<
  Place extends OperatorPlace = OperatorPlace,
  Operand extends OperatorDescription['operand'] = OperatorDescription['operand'],
> = {
  [Name in keyof Descriptions]: Descriptions[Name] extends { readonly operand: Operand }
    ? Place extends Descriptions[Name]['on'][number]
      ? Name
      : never
    : never;
}[keyof Descriptions];

/** The operator with this name; undefined if there is none. */
export function describedOperator(name: string): OperatorDescription | undefined {
  const known: Readonly<Record<string, OperatorDescription>> = operatorDescriptions;
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** The names of all operators that are possible in a place, in the order of forms. */
export function operatorsOn(place: OperatorPlace): readonly string[] {
  return Object.keys(operatorDescriptions).filter((name) => describedOperator(name)?.on.includes(place));
}
