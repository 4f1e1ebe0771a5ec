// The connection settings of a cluster: the record of `/cluster-configs`, its checks, and its secrets.
import { isIP } from 'node:net';
import * as v from 'valibot';
import type { ShownConfig } from '../../descriptions/operations-replies.js';
import { closedObject } from '../errors/closed-object.js';
import { limitedText } from '../errors/limited-text.js';
import type { ErrorDetail } from '../errors/ops-error.js';
import { badRequest } from '../errors/validation.js';

const maxSeeds = 50;
const hostName = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

const portNumber = v.pipe(
  v.number(),
  v.integer('must be a port from 1 to 65535'),
  v.minValue(1, 'must be a port from 1 to 65535'),
  v.maxValue(65_535, 'must be a port from 1 to 65535'),
);
/** Ports are sent as numbers or as strings. */
const port = v.union(
  [portNumber, v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), portNumber)],
  'must be a port',
);
const text = limitedText(1000, 1);
const seedHosts = v.pipe(
  v.string(),
  v.transform(splitSeeds),
  v.check(
    (seeds) => seeds.length > 0 && seeds.length <= maxSeeds && seeds.every(isHost),
    `must be 1 to ${maxSeeds} addresses or host names with commas between them`,
  ),
  v.transform((seeds) => seeds.join(', ')),
);
const prometheusUrl = v.pipe(
  v.string(),
  v.check(isPrometheusUrl, 'must be an http or https URL without a login; {host} stands for the node'),
  v.check((text) => urlOfNode(text)?.port !== '0', 'must have a port from 1 to 65535'),
);

const cassandra = {
  seed_hosts: seedHosts,
  native_port: v.nullish(port),
  username: v.nullish(text),
  password: v.nullish(text),
  local_datacenter: v.nullish(text),
};
const actions = { kind: v.picklist(['nodetool', 'management-api']), port: v.nullish(port) };
const metrics = { prometheus: v.nullish(prometheusUrl) };
const id = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,47}$/, 'must be 1 to 48 of a-z 0-9 _ -, beginning with a letter or digit'),
);

/** The body of POST and PUT. */
export const configBody = closedObject({
  id: v.optional(id),
  cassandra: closedObject(cassandra),
  actions: v.nullish(closedObject(actions)),
  metrics: v.nullish(closedObject(metrics)),
});

/** The body of a partial PUT: null removes a property. */
export const partialConfigBody = closedObject({
  id: v.optional(id),
  cassandra: v.optional(v.partial(closedObject(cassandra))),
  actions: v.nullish(v.partial(closedObject(actions))),
  metrics: v.nullish(closedObject(metrics)),
});

/** A configuration with its secrets; members that are not set are absent. */
export interface ClusterConfig {
  readonly id: string;
  readonly cassandra: {
    readonly seed_hosts: string;
    readonly native_port?: number;
    readonly username?: string;
    readonly password?: string;
    readonly local_datacenter?: string;
  };
  readonly actions?: { readonly kind: 'nodetool' | 'management-api'; readonly port?: number };
  readonly metrics?: { readonly prometheus?: string };
}

/** The seeds of a configuration, in order. */
export function splitSeeds(hosts: string): string[] {
  const seeds = hosts.split(',').map((seed) => seed.trim().toLowerCase());
  return [...new Set(seeds.filter((seed) => seed !== ''))];
}

/** A new configuration. */
export function newConfig(clusterId: string, body: v.InferOutput<typeof configBody>): ClusterConfig {
  return compact({ ...body, id: clusterId });
}

/**
 * The configuration after a PUT: members that the body lacks are removed, except the password.
 * @throws OpsError `BadRequest` when the password would be sent to another host
 */
export function replaceConfig(known: ClusterConfig, body: v.InferOutput<typeof configBody>): ClusterConfig {
  const password = body.cassandra.password === undefined ? known.cassandra.password : body.cassandra.password;
  const next = compact({ ...body, id: known.id, cassandra: { ...body.cassandra, password } });
  demandPasswordAgain(known, next, body.cassandra);
  return next;
}

/** The configuration after a partial PUT. @throws OpsError `BadRequest` as `replaceConfig` */
export function mergeConfig(
  known: ClusterConfig,
  body: v.InferOutput<typeof partialConfigBody>,
): ClusterConfig {
  const section = <Section extends object>(old: Section | undefined, change: object | null | undefined) =>
    change === null ? undefined : change === undefined ? old : { ...old, ...change };
  const merged = {
    id: known.id,
    cassandra: { ...known.cassandra, ...body.cassandra },
    actions: section(known.actions, body.actions),
    metrics: section(known.metrics, body.metrics),
  };
  const kind = merged.actions !== undefined && !('kind' in merged.actions) ? [missingKind] : [];
  if (kind.length > 0) throw badRequest(kind);
  // `kind` was just checked; the other members come from a configuration or from a checked body.
  const next = compact(merged as Parameters<typeof compact>[0]);
  demandPasswordAgain(known, next, body.cassandra ?? {});
  return next;
}

const missingKind: ErrorDetail = { path: 'actions.kind', message: 'is missing' };

/** The configuration in the form of replies. */
export function showConfig({ cassandra, ...rest }: ClusterConfig): ShownConfig {
  const { password: _, ...shown } = cassandra;
  return { ...rest, cassandra: shown };
}

/** A stored password must not be sent to a host other than the one that it was given for. */
function demandPasswordAgain(known: ClusterConfig, next: ClusterConfig, given: { password?: unknown }): void {
  if (known.cassandra.password === undefined || given.password !== undefined) return;
  const changed = (['seed_hosts', 'native_port'] as const).filter(
    (name) => known.cassandra[name] !== next.cassandra[name],
  );
  if (changed.length === 0) return;
  const message = `must be sent again (or null), since ${changed.join(' and ')} changes`;
  throw badRequest([{ path: 'cassandra.password', message }]);
}

type Loose<Section> = { readonly [Name in keyof Section]: Section[Name] | null | undefined };

function compact(config: {
  readonly id: string;
  readonly cassandra: Loose<ClusterConfig['cassandra']>;
  readonly actions?: Loose<NonNullable<ClusterConfig['actions']>> | null | undefined;
  readonly metrics?: Loose<NonNullable<ClusterConfig['metrics']>> | null | undefined;
}): ClusterConfig {
  const { id, cassandra, actions, metrics } = config;
  const sections = Object.entries({ cassandra, actions, metrics })
    .filter(([, section]) => section !== null && section !== undefined)
    .map(([name, section]) => [name, withoutNull(section ?? {})]);
  // The members are those of a configuration, without null and undefined.
  return { id, ...Object.fromEntries(sections) } as ClusterConfig;
}

function withoutNull(section: object): object {
  return Object.fromEntries(
    Object.entries(section).filter(([, value]) => value !== null && value !== undefined),
  );
}

function isHost(host: string): boolean {
  return isIP(host) !== 0 || (host.length <= 253 && hostName.test(host) && !/^[\d.]+$/.test(host));
}

function isPrometheusUrl(text: string): boolean {
  const url = urlOfNode(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function urlOfNode(text: string): URL | undefined {
  const place = text.replaceAll('{host}', 'node');
  return URL.canParse(place) ? new URL(place) : undefined;
}
