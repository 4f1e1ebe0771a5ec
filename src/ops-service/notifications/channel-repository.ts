// The notification channels of all clusters: stores, changes and opens them.
import * as v from 'valibot';
import { neverAllowed } from '../../foundation/http/address-policy.js';
import { type ErrorDetail, OpsError } from '../errors/ops-error.js';
import { unknownRule } from '../errors/unknown-name.js';
import { badRequest, detailsOf, validated } from '../errors/validation.js';
import type { Caller } from '../events/event.js';
import { Repository } from '../store/repository.js';
import { type Channel, type ChannelKind, type ChannelSettings, mostRules } from './channel.js';
import {
  isMaskedUrl,
  mergeSettings,
  secretsMissingForNewPlace,
  withoutSecretMembers,
} from './channel-secrets.js';
import { channelKinds } from './channels/registry.js';
import type { NotificationParts } from './notification-parts.js';

/** A channel of a cluster, open for delivery. */
export interface KeptChannel {
  readonly id: string;
  readonly clusterId: string;
  readonly kind: ChannelKind;
  readonly settings: ChannelSettings;
  readonly sender: Channel;
}

/** What the repository needs from outside. A channel keeps the ids of deleted rules. */
export interface ChannelRepositoryParts
  extends Pick<NotificationParts, 'store' | 'surroundings' | 'newId' | 'logger' | 'appendEvent' | 'hasRule'> {
  /** Called after a channel was added or changed (`isThere` is true) or removed (false). */
  onChange(channelId: string, isThere: boolean): void;
}

/** Settings as sent in a request. */
export type SentSettings = Readonly<Record<string, unknown>>;

/** The maximum number of channels of one cluster: each is checked every second. */
const mostChannels = 200;

/** The channels, in order of creation. */
export class ChannelRepository {
  readonly #parts: ChannelRepositoryParts;
  readonly #channels: Repository<KeptChannel>;

  constructor(parts: ChannelRepositoryParts) {
    this.#parts = parts;
    this.#channels = new Repository(parts.store, {
      table: 'channels',
      most: mostChannels,
      tooMany: `a cluster has at most ${mostChannels} notification channels: delete one first`,
      // Written by `bodyOf`, perhaps of another version.
      read: (id, clusterId, body) => this.#read(id, clusterId, body as SentSettings),
      bodyOf: ({ settings }) => settings,
      missing: (_, id) => new OpsError('NotFound', `there is no notification channel ${JSON.stringify(id)}`),
    });
  }

  /** The channels of one cluster, in order of creation. */
  list(clusterId: string): readonly KeptChannel[] {
    return this.#channels.list(clusterId);
  }

  /** Undefined if there is none, or if it was removed. */
  find(id: string): KeptChannel | undefined {
    return this.#channels.find(id);
  }

  /** @throws OpsError `NotFound` */
  get(clusterId: string, id: string): KeptChannel {
    return this.#channels.get(clusterId, id);
  }

  /** The settings without secrets, with the id. */
  show({ id, kind, settings }: KeptChannel): object {
    return { id, ...withoutSecretMembers(settings, kind) };
  }

  /** Adds a channel and returns its id. @throws OpsError `BadRequest` with every problem, `Conflict` with too many */
  add(clusterId: string, sent: SentSettings, caller: Caller): string {
    const kind = kindOf(sent['type']);
    const settings = checked(kind, sent, this.#unknownRules(clusterId, sent, []));
    const id = this.#parts.newId();
    this.#channels.create(clusterId, this.#open(id, clusterId, kind, settings));
    this.#report(clusterId, id, `notification channel ${titleOf(id, settings)} added`, caller, true);
    return id;
  }

  /** Merges the request into the settings. @throws OpsError `NotFound`, `Conflict`, `BadRequest` */
  change(clusterId: string, id: string, sent: SentSettings, caller: Caller): void {
    const { kind, settings } = this.get(clusterId, id);
    const { id: sentId, ...members } = sent;
    if (sentId !== undefined && sentId !== id) throw immutable('id');
    if (members['type'] !== undefined && members['type'] !== kind.type) throw immutable('type');
    const merged = mergeSettings(settings, members, kind);
    const missing = secretsMissingForNewPlace(settings, merged, members, kind);
    const unknown = this.#unknownRules(clusterId, members, settings.rules);
    const changed = checked(kind, merged, [...missing, ...unknown]);
    this.#channels.replace(clusterId, this.#open(id, clusterId, kind, changed));
    this.#report(clusterId, id, `notification channel ${titleOf(id, changed)} changed`, caller, true);
  }

  /** @throws OpsError `NotFound` */
  remove(clusterId: string, id: string, caller: Caller): void {
    const { settings } = this.get(clusterId, id);
    this.#channels.delete(clusterId, id);
    this.#report(clusterId, id, `notification channel ${titleOf(id, settings)} removed`, caller, false);
  }

  /** Removes the channels of a removed cluster. */
  forgetCluster(clusterId: string): void {
    for (const { id } of this.#channels.forgetCluster(clusterId)) this.#parts.onChange(id, false);
  }

  /** Rules in the request that do not exist, except those that the channel already has. */
  #unknownRules(clusterId: string, sent: SentSettings, known: readonly string[]): readonly ErrorDetail[] {
    const rules: unknown = sent['rules'];
    if (!Array.isArray(rules) || rules.length > mostRules) return [];
    return rules.flatMap((rule: unknown, at) => {
      if (typeof rule !== 'string' || known.includes(rule) || this.#parts.hasRule(clusterId, rule)) return [];
      return [unknownRule(`rules.${at}`, rule)];
    });
  }

  #read(id: string, clusterId: string, stored: SentSettings): KeptChannel | undefined {
    try {
      const kind = kindOf(stored['type']);
      return this.#open(id, clusterId, kind, validated(kind.schema, stored));
    } catch (err) {
      // Another version wrote it; it stays stored, and the other channels work.
      this.#parts.logger.error({ err, id }, 'a notification channel cannot be read and is not used');
      return undefined;
    }
  }

  #open(id: string, clusterId: string, kind: ChannelKind, settings: ChannelSettings): KeptChannel {
    return { id, clusterId, kind, settings, sender: kind.open(settings, this.#parts.surroundings) };
  }

  #report(clusterId: string, id: string, message: string, caller: Caller, isThere: boolean): void {
    this.#parts.appendEvent(clusterId, {
      action: 'channelChanged',
      level: 'INFO',
      message,
      caller,
      success: true,
    });
    this.#parts.onChange(id, isThere);
  }
}

/** Problems of the destinations of notices; host names are resolved only at each attempt. */
function problemsOfPlaces({ places }: ChannelKind, settings: SentSettings): readonly ErrorDetail[] {
  return places.flatMap((path) => {
    const place = settings[path];
    if (typeof place !== 'string') return [];
    const url = URL.canParse(place) ? new URL(place) : undefined;
    if (url !== undefined && isMaskedUrl(url)) {
      return [{ path, message: 'must be complete: *** replaces the part that is not shown' }];
    }
    const reason = neverAllowed(url?.hostname.replace(/^\[|\]$/g, '') ?? place);
    return reason === undefined ? [] : [{ path, message: `must not be ${reason}` }];
  });
}

/** Valid settings. @throws OpsError `BadRequest` with the problems in `found` and all others */
function checked(kind: ChannelKind, sent: SentSettings, found: readonly ErrorDetail[]): ChannelSettings {
  const result = v.safeParse(kind.schema, sent);
  const problems = [...found, ...problemsOfPlaces(kind, sent)];
  if (result.success && problems.length === 0) return result.output;
  throw badRequest([...problems, ...(result.success ? [] : detailsOf(result.issues))]);
}

/** The name of the channel if it has one, else its id. */
export function titleOf(id: string, { type, name }: ChannelSettings): string {
  return `${JSON.stringify(name === '' ? id : name)} (${type})`;
}

function kindOf(type: unknown): ChannelKind {
  const kind = channelKinds.find((candidate) => candidate.type === type);
  if (kind !== undefined) return kind;
  const types = channelKinds.map((candidate) => candidate.type).join(', ');
  throw badRequest([{ path: 'type', message: `must be one of ${types}` }]);
}

function immutable(member: string): OpsError {
  return new OpsError('Conflict', `${member} cannot be changed`, {
    details: [{ path: member, message: 'cannot be changed' }],
  });
}
