// The operations interface as the screens use it: the forms of its replies, and requests that return them.
import { isList, isNumber, isObject, type Json } from '../json/exact-json.js';
import { type RequestOptions, sendRequest } from '../net/send-request.js';

/** A node of a cluster; times in seconds since 1970. */
export interface OpsNode {
  readonly node_ip: string;
  readonly dc: string | null;
  readonly rack: string | null;
  readonly hostname: string | null;
  readonly state: 'up' | 'down' | 'unknown';
  readonly last_seen: number | null;
  /** Bytes. */
  readonly load: number | null;
  readonly os: string | null;
  readonly version: string | null;
}

/** An event of the log. */
export interface OpsEvent {
  readonly action: number;
  readonly api_source_ip: string;
  readonly level: number;
  readonly level_str: string;
  readonly message: string;
  readonly source_node: string;
  readonly success: boolean | null;
  readonly target_node: string | null;
  /** Microseconds since 1970. */
  readonly time: string;
  readonly user: string;
}

/** A firing alert. */
export interface OpsAlert {
  readonly id: string;
  readonly alert_rule_id: string;
  readonly current_value: number;
  /** Seconds since 1970. */
  readonly first_fired: number;
  readonly node: string;
  readonly dc: string | null;
  readonly table: string | null;
  readonly device: string | null;
  readonly level: string;
  readonly state: 'firing' | 'acknowledged' | 'no-data';
}

/** A silence; times in seconds since 1970. */
export interface OpsSilence {
  readonly id: string;
  readonly matchers: SilenceMatchers;
  readonly start: number;
  readonly end: number;
  readonly author: string;
  readonly comment: string;
  readonly state: 'pending' | 'active' | 'expired';
}

/** What a silence holds: notices of alerts that have all of these. */
export interface SilenceMatchers {
  /** The id of a rule. */
  readonly rule?: string;
  readonly node?: string;
  readonly dc?: string;
  /** `keyspace.table`. */
  readonly table?: string;
}

/** An alert rule: the members depend on its type. */
export interface OpsRule {
  readonly id: string;
  readonly type: string;
  readonly metric?: string;
  readonly threshold?: number;
  readonly comparator?: string;
  readonly resolve_threshold?: number;
  readonly window?: number;
  readonly cf?: string;
  readonly item?: string;
  readonly dc?: string;
  readonly duration: number;
  readonly notify_interval: number;
  readonly enabled: number;
  readonly level: string;
  readonly no_data: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A metric that can be read. */
export interface OpsMetricKey {
  readonly key: string;
  /** What it measures, without the unit. */
  readonly label: string;
  readonly group: string;
  readonly is_distribution: boolean;
  readonly unit: string;
  readonly scope: 'node' | 'table' | 'device';
  readonly source: string;
  readonly available: boolean;
  readonly alias_of?: string;
}

/** An entry of the delivery log. */
export interface OpsDelivery {
  readonly time: string;
  readonly outcome: 'sent' | 'held' | 'retrying' | 'failed' | 'dropped';
  readonly reason: string;
  readonly status: string;
  readonly channel_id: string;
  readonly channel: string;
  readonly alert_id: string | null;
  readonly alert_rule_id: string | null;
  /** The rule in words. */
  readonly rule: string | null;
  readonly node: string | null;
  readonly attempts: number;
}

/** A request for an action; times in seconds since 1970. */
export interface OpsRequest {
  readonly id: string;
  readonly action: string;
  readonly keyspace: string;
  readonly tables: readonly string[];
  readonly state: string;
  readonly created: number;
  readonly finished: number | null;
  readonly details: readonly { readonly node: string; readonly state: string; readonly detail: string }[];
}

/** Reads a resource. @throws RequestFailure */
export async function read<Form>(path: string, signal?: AbortSignal): Promise<Form> {
  // The OpenAPI document of the server has this form, and its tests check every reply against the document.
  return withNumbers(await sendRequest(path, { signal })) as Form;
}

/** Changes something, and returns the reply. @throws RequestFailure */
export async function change<Form = unknown>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object | boolean | string,
): Promise<Form> {
  // Bodies are plain objects of texts, numbers and lists: JSON.
  const options: RequestOptions = body === undefined ? { method } : { method, body: body as Json };
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
