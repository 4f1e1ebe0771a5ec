// Describes fields by their schemas: what a schema says is not written a second time.
import * as v from 'valibot';
import type {
  DescribedChoice,
  DescribedField,
  FieldKind,
  FieldWords,
} from '../../descriptions/described-field.js';

/** The member of the OpenAPI document with what JSON Schema has no words for. */
const extension = 'x-field';

/** The schema with the words of its field, which the OpenAPI document has too. The check of a value stays the same. */
export function labelled<Schema extends v.GenericSchema>(
  schema: Schema,
  label: string,
  { help, ...others }: FieldWords = {},
) {
  const described = v.pipe(schema, v.title(label), v.metadata({ [extension]: others }));
  return help === undefined ? described : v.pipe(described, v.description(help));
}

/** The members of schemas and of their checks that are read here; each kind has some of them. */
interface Part {
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly wrapped?: Part;
  readonly item?: Part;
  readonly options?: readonly (string | number)[];
  readonly requirement?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly metadata?: { readonly [extension]?: Omit<FieldWords, 'help'> };
}

/**
 * The description of the field with a schema of `labelled`, which may be optional; undefined for the schema of another
 * field, or of one that has only one possible value.
 */
export function describeField(name: string, schema: v.GenericSchema): DescribedField | undefined {
  const parts = partsOf(schema as unknown as Part); // The comment of `Part` says why.
  const [root] = parts;
  const label = parts.findLast(({ title }) => title !== undefined)?.title;
  const help = parts.findLast(({ description }) => description !== undefined)?.description;
  const words = parts.findLast(({ metadata }) => metadata !== undefined)?.metadata?.[extension] ?? {};
  if (root === undefined || label === undefined) return undefined;
  const kind = root.item?.options === undefined ? kinds[root.type] : 'choices';
  if (kind === undefined) return undefined;
  const { isMetric, choices: given, ...others } = words;
  const choices = choicesOf(root, given);
  const isRequired = !v.is(schema, undefined);
  const initial = v.getDefault(schema as v.OptionalSchema<v.GenericSchema, unknown>);
  const fallback = typeof initial === 'string' || typeof initial === 'number' ? initial : undefined;
  const start = words.start ?? fallback ?? '';
  const isBlank = !isRequired && start === '' && (kind === 'text' || kind === 'number');
  return {
    name,
    label,
    ...(help === undefined ? {} : { help }),
    kind: isMetric === true ? 'metric' : kind,
    isRequired,
    remark: isBlank ? '(optional)' : '',
    ...others,
    ...(choices === undefined ? {} : { choices }),
    start,
    ...(fallback === undefined || fallback === '' ? {} : { default: fallback }),
    ...limitsOf(parts),
  };
}

/** The descriptions of those of the fields that have one. */
export function describeFields(
  schemas: Readonly<Record<string, v.GenericSchema>>,
): readonly DescribedField[] {
  return Object.entries(schemas).flatMap(([name, schema]) => describeField(name, schema) ?? []);
}

/** The names of the fields whose values are secret. */
export function secretsIn(schemas: Readonly<Record<string, v.GenericSchema>>): readonly string[] {
  const isSecret = ({ metadata }: Part) => metadata?.[extension]?.isSecret === true;
  const names = Object.keys(schemas);
  return names.filter((name) => partsOf(schemas[name] as unknown as Part).some(isSecret)); // see `Part`
}

const kinds: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  boolean: 'flag',
  picklist: 'choice',
  record: 'pairs',
  array: 'list',
};

/** The innermost schema, then all checks of it and of the schemas around it. */
function partsOf(part: Part): readonly Part[] {
  if (part.pipe !== undefined) return part.pipe.flatMap(partsOf);
  return part.wrapped === undefined ? [part] : partsOf(part.wrapped);
}

function choicesOf(
  { options, item }: Part,
  given: FieldWords['choices'],
): readonly DescribedChoice[] | undefined {
  const choices = given ?? (options ?? item?.options)?.map((value) => [value, String(value)] as const);
  return choices?.map(([value, label, word]) =>
    word === undefined ? { value, label } : { value, label, word },
  );
}

const limits: Readonly<Record<string, 'least' | 'most'>> = {
  min_value: 'least',
  min_length: 'least',
  max_value: 'most',
  max_length: 'most',
  max_entries: 'most',
};

function limitsOf(parts: readonly Part[]): Pick<DescribedField, 'least' | 'most'> {
  const found = parts.map(({ type, requirement }) => [limits[type], requirement] as const);
  return Object.fromEntries(found.filter(([name]) => name !== undefined));
}
