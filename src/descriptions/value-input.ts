// The vocabulary of descriptions of column types: how people write values, and what columns can be used for.

/** How people write the values of a type in forms and files. */
export interface ValueInput {
  /**
   * `text`: any text. `word`: a text without blanks around it. `date`, `timestamp`: as RFC 3339 writes them. `binary`:
   * base64. `json`: an object or array. `vector`: an array of numbers, or a text that a service makes a vector of.
   */
  readonly kind:
    | 'text'
    | 'word'
    | 'date'
    | 'timestamp'
    | 'boolean'
    | 'integer'
    | 'decimal'
    | 'float'
    | 'binary'
    | 'json'
    | 'vector';
  /** The size of integers that have a range, in bits. */
  readonly bits?: number;
  /** A value as forms show it in an empty field. Absent: the name of the type says enough. */
  readonly example?: string;
}

/**
 * `create`: new columns can have the type. `insert`: commands write values. `filter`: operators compare whole values.
 * `members`: operators compare the members of values. `order`: values are in an order that people expect. `words`: an
 * index can normalize values, or find their words. `count`: tables with such a column only count, without inserts.
 */
export type TypeUse = 'create' | 'insert' | 'filter' | 'members' | 'order' | 'words' | 'count';

/** A type of columns, as clients see it in definitions. */
export interface TypeDescription extends ValueInput {
  /** The `type` of definitions: `int`, `list`. */
  readonly name: string;
  readonly uses: readonly TypeUse[];
  /** The other members of its definitions: `keyType`, `valueType`, `dimension`. Absent: it has none. */
  readonly parts?: readonly string[];
}
