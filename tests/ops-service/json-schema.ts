// Checks values against the part of JSON Schema that our OpenAPI document uses.

/** A schema as the document has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const annotations = ['title', 'description', 'default', 'format', 'x-field'];

/** What is wrong with a value, each with its path; empty when nothing is. @throws Error for a word it does not know */
export function problemsOf(value: unknown, schema: JsonSchema, root: JsonSchema, path = '$'): string[] {
  return Object.entries(schema).flatMap(([word, wanted]) => {
    if (annotations.includes(word)) return [];
    const check = checks[word];
    if (check === undefined) throw new Error(`the checker does not know ${word} at ${path}`);
    return check({ value, wanted, schema, root, path });
  });
}

interface Checked {
  readonly value: unknown;
  readonly wanted: unknown;
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly path: string;
}

const checks: Readonly<Record<string, (checked: Checked) => string[]>> = {
  type: ({ value, wanted, path }) => {
    const kinds = Array.isArray(wanted) ? wanted : [wanted];
    return kinds.some((kind) => isOfType(value, kind)) ? [] : [`${path} is no ${kinds.join(' or ')}`];
  },
  enum: ({ value, wanted, path }) =>
    Array.isArray(wanted) && wanted.includes(value) ? [] : [`${path} is ${value}, none of ${wanted}`],
  const: ({ value, wanted, path }) => (value === wanted ? [] : [`${path} is not ${wanted}`]),
  minimum: ({ value, wanted, path }) =>
    Number(value) >= Number(wanted) ? [] : [`${path} is below ${wanted}`],
  maximum: ({ value, wanted, path }) =>
    Number(value) <= Number(wanted) ? [] : [`${path} is above ${wanted}`],
  minLength: ({ value, wanted, path }) =>
    String(value).length >= Number(wanted) ? [] : [`${path} is shorter than ${wanted}`],
  maxLength: ({ value, wanted, path }) =>
    String(value).length <= Number(wanted) ? [] : [`${path} is longer than ${wanted}`],
  pattern: ({ value, wanted, path }) =>
    new RegExp(String(wanted), 'u').test(String(value)) ? [] : [`${path} does not match ${wanted}`],
  required: ({ value, wanted, path }) =>
    isObject(value) && Array.isArray(wanted)
      ? wanted.filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`)
      : [],
  properties: ({ value, wanted, root, path }) =>
    isObject(value) && isObject(wanted)
      ? Object.entries(wanted).flatMap(([name, schema]) =>
          name in value ? problemsOf(value[name], asSchema(schema), root, `${path}.${name}`) : [],
        )
      : [],
  additionalProperties: ({ value, wanted, schema, root, path }) => {
    if (!isObject(value) || wanted === true) return [];
    const known = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
    const others = Object.entries(value).filter(([name]) => !known.includes(name));
    if (wanted === false) return others.map(([name]) => `${path}.${name} is not in the schema`);
    return others.flatMap(([name, member]) => problemsOf(member, asSchema(wanted), root, `${path}.${name}`));
  },
  propertyNames: ({ value, wanted, root, path }) =>
    isObject(value)
      ? Object.keys(value).flatMap((name) => problemsOf(name, asSchema(wanted), root, `${path} (a name)`))
      : [],
  items: ({ value, wanted, root, path }) =>
    Array.isArray(value)
      ? value.flatMap((item, at) => problemsOf(item, asSchema(wanted), root, `${path}[${at}]`))
      : [],
  prefixItems: ({ value, wanted, root, path }) =>
    Array.isArray(value) && Array.isArray(wanted)
      ? wanted.flatMap((schema, at) => problemsOf(value[at], asSchema(schema), root, `${path}[${at}]`))
      : [],
  minItems: ({ value, wanted, path }) =>
    Array.isArray(value) && value.length < Number(wanted) ? [`${path} has too few items`] : [],
  maxItems: ({ value, wanted, path }) =>
    Array.isArray(value) && value.length > Number(wanted) ? [`${path} has too many items`] : [],
  maxProperties: ({ value, wanted, path }) =>
    isObject(value) && Object.keys(value).length > Number(wanted) ? [`${path} has too many members`] : [],
  anyOf: (checked) => one(checked),
  oneOf: (checked) => one(checked),
  allOf: ({ value, wanted, root, path }) =>
    Array.isArray(wanted) ? wanted.flatMap((schema) => problemsOf(value, asSchema(schema), root, path)) : [],
  $ref: ({ value, wanted, root, path }) => {
    const steps = String(wanted).split('/').slice(1);
    const target = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
    return problemsOf(value, asSchema(target), root, path);
  },
};

function one({ value, wanted, root, path }: Checked): string[] {
  const results = Array.isArray(wanted)
    ? wanted.map((schema) => problemsOf(value, asSchema(schema), root, path))
    : [];
  return results.some((problems) => problems.length === 0)
    ? []
    : [`${path} fits none: ${results.join('; ')}`];
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): JsonSchema {
  if (isObject(value)) return value;
  if (value === true) return {};
  throw new Error(`${value} is not a schema`);
}
