// Objects of valibot take lists, whose members have the numbers as names: these do not.
import type * as v from 'valibot';

/** The schema of an object, which refuses lists. */
export function withoutLists<Schema extends v.GenericSchema>(schema: Schema): Schema {
  type Run = v.GenericSchema['~run'];
  // Not an arrow function: `v.partial` makes a copy with other entries.
  const run = function (this: Schema, ...[dataset, config]: Parameters<Run>): ReturnType<Run> {
    const input = dataset.value;
    if (!Array.isArray(input)) return schema['~run'].call(this, dataset, config);
    const refused = schema['~run'].call(this, { ...dataset, value: null }, config);
    for (const issue of refused.issues ?? []) Object.assign(issue, { input });
    return refused;
  };
  return { ...schema, '~run': run };
}
