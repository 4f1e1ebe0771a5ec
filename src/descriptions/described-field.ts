// The vocabulary of fields: registries describe their things with it, and forms and documents are drawn from it.

/** A value that a field can have. */
export interface DescribedChoice {
  readonly value: string | number;
  readonly label: string;
  /** How a sentence names the value; absent if it names it by the label. */
  readonly word?: string;
}

/**
 * What the value of a field is: one line of text, a number, one or several of `choices`, true or false, a list of
 * texts, an object of texts by name, or the key of a metric.
 */
export type FieldKind = 'text' | 'number' | 'choice' | 'choices' | 'flag' | 'list' | 'pairs' | 'metric';

/** What a schema does not say about a field. Texts have no full stop. */
export interface FieldWords {
  /** What the value means, as documents say it: `minutes between repeated notices`. */
  readonly help?: string;
  /** What forms add to the label: `(1 and 2c)`. Default: `(optional)` if forms begin with an empty field. */
  readonly remark?: string;
  /** Values, labels and words, if forms show other labels or another order than those of the values in the schema. */
  readonly choices?: readonly (readonly [value: string | number, label: string, word?: string])[];
  /** The value that forms begin with, if it is not the default. */
  readonly start?: string | number;
  /** The form of a value: `https://…`. */
  readonly example?: string;
  /** Neighbours of the same group share a row of a form. */
  readonly group?: string;
  /** What is stored keeps the value: it cannot be changed. */
  readonly isFixed?: true;
  /** Replies never contain the value, and forms do not show what is typed. */
  readonly isSecret?: true;
  /** Only programs set it: forms omit it, and keep it. */
  readonly isForPrograms?: true;
  /** The value is the key of a metric, which a schema describes as a text. */
  readonly isMetric?: true;
}

/** A field with all that is known of it. Limits are inclusive, and absent where there are none. */
export interface DescribedField extends Omit<FieldWords, 'isMetric' | 'choices'> {
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly DescribedChoice[];
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly remark: string;
  /** The empty text if forms begin with nothing. */
  readonly start: string | number;
  /** The value that counts if none is given; absent if none does. */
  readonly default?: string | number;
  /** The least and the greatest number, or number of characters, elements or members. */
  readonly least?: number;
  readonly most?: number;
}
