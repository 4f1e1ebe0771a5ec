// Requests to the operations interface, and their replies as plain values.
import { isList, isNumber, isObject, type Json } from '../json/exact-json.js';
import { type RequestOptions, sendRequest } from './send-request.js';
import { type Loaded, type LoadOptions, useLoaded } from './use-loaded.js';

/** Reads a resource. @throws RequestFailure */
export async function read<Form>(path: string, signal?: AbortSignal): Promise<Form> {
  // The schema of the route has this form, and tests of the server check every reply against it.
  return withNumbers(await sendRequest(path, { signal })) as Form;
}

/** Shows a resource as `useLoaded` does; an undefined path loads nothing. */
export function useResource<Form>(path: string | undefined, options?: LoadOptions): Loaded<Form> {
  return useLoaded(path, (signal) => read<Form>(path ?? '', signal), options);
}

/** Changes something, and returns the reply. @throws RequestFailure */
export async function change<Form = unknown>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object | boolean | string,
  limits: Pick<RequestOptions, 'timeoutMs'> = {},
): Promise<Form> {
  // Bodies are plain objects of texts, numbers and lists: JSON.
  const sent = body === undefined ? {} : { body: body as Json };
  const options: RequestOptions = { method, ...sent, ...limits };
  return withNumbers(await sendRequest(path, options)) as Form; // as for `read`
}

/** Numbers of the operations interface are counts and measurements, which fit into a double. */
function withNumbers(json: Json | undefined): unknown {
  if (isNumber(json)) return Number(String(json));
  if (isList(json)) return json.map(withNumbers);
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, withNumbers(member)]));
}

/** The path of a resource of a cluster, such as `local/alerts`. */
export function pathOf(cluster: string, ...parts: readonly string[]): string {
  return [cluster, ...parts].map(encodeURIComponent).join('/');
}
