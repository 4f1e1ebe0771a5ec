// Describes the kinds of notification channels.
import * as v from 'valibot';
import type { DescribedChannelKind } from '../../descriptions/operations-kinds.js';
import { describeFields, labelled } from '../errors/describe-field.js';
import { type ChannelKind, routingEntries } from './channel.js';
import { channelKinds } from './channels/registry.js';

const typeSchema = labelled(v.picklist(channelKinds.map(({ type }) => type)), 'Type', {
  isFixed: true,
});

/** All kinds, in the order of the registry. A kind whose receivers accept only alerts has no field `events`. */
export const describedChannelKinds: readonly DescribedChannelKind[] = channelKinds.map(describeKind);

function describeKind({ type, schema }: ChannelKind): DescribedChannelKind {
  const fields = describeFields({ ...schema.entries, type: typeSchema });
  const routing = fields.filter(({ name }) => Object.hasOwn(routingEntries, name) && name !== 'name');
  return { name: type, fields: [...fields.filter((field) => !routing.includes(field)), ...routing] };
}
