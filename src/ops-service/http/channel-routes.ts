// The routes of notification channels.
import * as v from 'valibot';
import { channelTrialReply } from '../../descriptions/operations-replies.js';
import { namedValues } from '../errors/named-values.js';
import type { ChannelKind } from '../notifications/channel.js';
import type { ChannelRepository } from '../notifications/channel-repository.js';
import { channelKinds } from '../notifications/channels/registry.js';
import type { Notifications } from '../notifications/notifications.js';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

/** The members of a PUT: the repository merges them into the settings and checks the result. */
const changesSchema = namedValues(v.string(), v.unknown(), 10_000);
/** The settings that the repository accepts, for the documentation. */
const newChannelSchema = v.union(channelKinds.map(({ schema }) => schema));
const changedChannelSchema = v.union(channelKinds.map(changesOf));
const shownSchema = v.looseObject({ id: v.string(), type: v.picklist(channelKinds.map(({ type }) => type)) });

/** The routes of notification channels. */
export function channelRoutes({ notifications }: OpsParts): readonly Route[] {
  return [
    ...collectionRoutes(notifications.channels),
    ...oneChannelRoutes(notifications.channels),
    testRoute(notifications),
  ];
}

/** The members of a kind, all optional; null removes an optional member. */
function changesOf(kind: ChannelKind): v.GenericSchema {
  const members = Object.entries(kind.schema.entries).map(([name, entry]) => {
    const isOptional = v.is(entry, undefined);
    return [name, v.optional(isOptional ? v.nullable(entry) : entry)];
  });
  return v.strictObject({ id: v.optional(v.string()), ...Object.fromEntries(members) });
}

const path = '/{cluster_id}/notification-channels';

function collectionRoutes(channels: ChannelRepository): readonly Route[] {
  const list: Route = {
    method: 'GET',
    path,
    summary: 'The channels by creation, without their secrets.',
    access: 'viewer',
    reply: v.array(shownSchema),
    answer: ({ params }) =>
      channels.list(params['cluster_id'] ?? '').map((channel) => channels.show(channel)),
  };
  const add: Route<v.GenericSchema, typeof changesSchema> = {
    method: 'POST',
    path,
    summary: 'Adds a channel; its members depend on its type.',
    access: 'operator',
    body: changesSchema,
    documentedBody: newChannelSchema,
    reply: v.string(),
    status: 201,
    answer: ({ params, body, caller }) => channels.add(params['cluster_id'] ?? '', body, caller),
  };
  return [list, add];
}

function oneChannelRoutes(channels: ChannelRepository): readonly Route[] {
  const one = `${path}/{channel_id}`;
  const get: Route = {
    method: 'GET',
    path: one,
    summary: 'One channel, without its secrets.',
    access: 'viewer',
    reply: shownSchema,
    answer: ({ params }) =>
      channels.show(channels.get(params['cluster_id'] ?? '', params['channel_id'] ?? '')),
  };
  const change: Route<v.GenericSchema, typeof changesSchema> = {
    method: 'PUT',
    path: one,
    summary: 'Changes the members that are sent; an absent secret is kept, null removes.',
    access: 'operator',
    body: changesSchema,
    documentedBody: changedChannelSchema,
    reply: v.null(),
    answer: ({ params, body, caller }) =>
      channels.change(params['cluster_id'] ?? '', params['channel_id'] ?? '', body, caller),
  };
  const remove: Route = {
    method: 'DELETE',
    path: one,
    summary: 'Removes a channel; what waits for it is dropped.',
    access: 'operator',
    reply: v.null(),
    answer: ({ params, caller }) =>
      channels.remove(params['cluster_id'] ?? '', params['channel_id'] ?? '', caller),
  };
  return [get, change, remove];
}

function testRoute(notifications: Notifications): Route {
  return {
    method: 'POST',
    path: `${path}/{channel_id}/test`,
    summary: 'Tries to deliver a test notice once, whatever switch and silences say.',
    access: 'operator',
    reply: channelTrialReply,
    answer: ({ params, caller }) =>
      notifications.tryChannel(params['cluster_id'] ?? '', params['channel_id'] ?? '', caller),
  };
}
