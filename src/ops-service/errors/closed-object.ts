// Schemas of objects that accept no unknown members.
import * as v from 'valibot';

/**
 * Like `v.strictObject`, which reports only the first unknown member and accepts lists: this reports all, and refuses
 * lists.
 */
export function closedObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.StrictObjectSchema<Entries, undefined> {
  const schema = withoutLists(v.strictObject(entries));
  type Run = (typeof schema)['~run'];
  // An arrow function would have the wrong `this`: `v.partial` makes a copy with other entries.
  const run = function (this: typeof schema, ...[dataset, config]: Parameters<Run>): ReturnType<Run> {
    const input = dataset.value;
    const checked = schema['~run'].call(this, dataset, config);
    reportOthers(input, this.entries, checked.issues);
    return checked;
  };
  return { ...schema, '~run': run };
}

/** Adds an issue for each further unknown member, like the one about the first. */
function reportOthers(
  input: unknown,
  entries: v.ObjectEntries,
  issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]] | undefined,
): void {
  if (issues === undefined || typeof input !== 'object' || input === null) return;
  const [first, ...others] = Object.entries(input).filter(([name]) => !Object.hasOwn(entries, name));
  const known = issues.find(({ path }) => path?.length === 1 && path[0].key === first?.[0]);
  const [place] = known?.path ?? [];
  if (known === undefined || place === undefined) return;
  for (const [key, value] of others) {
    issues.push({ ...known, input: key, path: [{ ...place, key, value } as v.IssuePathItem] });
  }
}

/** The schema of an object that also refuses lists: valibot treats a list as an object with numbers as names. */
export function withoutLists<Schema extends v.GenericSchema>(schema: Schema): Schema {
  type Run = v.GenericSchema['~run'];
  // An arrow function would have the wrong `this`: `v.partial` makes a copy with other entries.
  const run = function (this: Schema, ...[dataset, config]: Parameters<Run>): ReturnType<Run> {
    const input = dataset.value;
    if (!Array.isArray(input)) return schema['~run'].call(this, dataset, config);
    const refused = schema['~run'].call(this, { ...dataset, value: null }, config);
    for (const issue of refused.issues ?? []) Object.assign(issue, { input });
    return refused;
  };
  return { ...schema, '~run': run };
}

/** A check of a whole object whose problem is reported at one of its members. */
export function checkAt<Checked extends Readonly<Record<string, unknown>>>(
  name: keyof Checked & string,
  fits: (checked: Checked) => boolean,
  message: string,
): v.RawCheckAction<Checked> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || fits(dataset.value)) return;
    const input = dataset.value;
    addIssue({ message, path: [{ type: 'object', origin: 'value', input, key: name, value: input[name] }] });
  });
}
