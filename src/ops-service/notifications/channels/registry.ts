// The list of the kinds of channels, in the order of the documents.
import type { ChannelKind } from '../channel.js';
import { emailKind } from './email.js';
import { webhookKind } from './webhook.js';

/** Every kind; a type stands once. */
export const channelKinds: readonly ChannelKind[] = [webhookKind, emailKind];
