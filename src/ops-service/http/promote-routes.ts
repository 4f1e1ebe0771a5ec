// The routes by which a server that follows another one becomes the first.
import * as v from 'valibot';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

/** Promotes this server, and says whether it is the first one. */
export function promoteRoutes({
  dataService,
  archiveFacts: { follow: followed },
}: OpsParts): readonly Route[] {
  const promote: Route = {
    method: 'POST',
    path: '/promote',
    summary:
      'Makes a server that follows an archive the first one; answers when the server before has surely stopped and ' +
      'everything that the archive has is applied. Then the server opens its ports again.',
    access: 'operator',
    changesNothing: true,
    body: v.object({
      force: v.optional(v.boolean()),
    }),
    reply: v.object({ role: v.literal('promoted') }),
    answer: async ({ body }) => {
      const { force } = body as { readonly force?: boolean }; // it has this schema
      await dataService.call('promote', force === true);
      return { role: 'promoted' };
    },
  };
  return [
    promote,
    {
      method: 'GET',
      path: '/promote',
      summary: 'Whether this server is the first one, or follows an archive.',
      access: 'viewer',
      reply: v.object({ role: v.picklist(['first', 'follower']), archive: v.optional(v.string()) }),
      answer: () => (followed === undefined ? { role: 'first' } : { role: 'follower', archive: followed }),
    },
  ];
}
