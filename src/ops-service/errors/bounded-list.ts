// Lists with a limit that is checked before their elements: reporting the problems of thousands of elements takes
// seconds.
import * as v from 'valibot';

/** Makes a schema like `v.array` with `v.maxLength` that does not check the elements of a list that is too long. */
export function boundedList<Item extends v.GenericSchema>(
  item: Item,
  most: number,
): v.GenericSchema<v.InferInput<Item>[], v.InferOutput<Item>[]> {
  const message = `must have at most ${most} elements`;
  const schema = v.pipe(v.array(item), v.maxLength(most, message));
  const length = v.pipe(v.array(v.unknown()), v.maxLength(most, message));
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const isTooLong = Array.isArray(dataset.value) && dataset.value.length > most;
    const [first, ...others] = isTooLong ? (v.safeParse(length, dataset.value, config).issues ?? []) : [];
    if (first === undefined) return schema['~run'](dataset, config);
    return { typed: false, value: dataset.value, issues: [first, ...others] };
  };
  return { ...schema, '~run': run };
}
