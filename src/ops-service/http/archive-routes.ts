// The routes of the archive of this server, or of the one that it follows.
import {
  archiveRangesReply,
  archiveReply,
  type OpsArchive,
  type OpsArchiveRanges,
} from '../../descriptions/operations-replies.js';
import { RecentResult } from '../../foundation/limits/recent-result.js';
import type { ArchiveFigures } from '../clusters/archive-watch.js';
import type { ShownGeneration, ShownRanges } from '../clusters/data-service-link.js';
import type { FollowFigures } from '../clusters/follow-watch.js';
import type { OpsParts } from './ops-parts.js';
import type { Route } from './route.js';

/** A list of a moment ago is as good: the state says how far the newest moment is. */
const keptMs = 5_000;

/** The state of the archive, and the moments that it has. */
export function archiveRoutes(parts: OpsParts): readonly Route[] {
  const { dataService, clock } = parts;
  const ranges = new RecentResult(() => dataService.call('readRanges', undefined), keptMs, clock);
  return [
    {
      method: 'GET',
      path: '/archive',
      summary:
        'How far the archive of this server is behind, or how far this server is behind the archive that it follows.',
      access: 'viewer',
      reply: archiveReply,
      answer: () => showArchive(parts),
    },
    {
      method: 'GET',
      path: '/archive/ranges',
      summary:
        'The moments that can be restored from the archive, for its 50 newest generations, the newest first; 404 ' +
        'without an archive, 503 if it cannot be read. A list is given again for 5 seconds.',
      access: 'viewer',
      reply: archiveRangesReply,
      answer: async () => showRanges(await ranges.get()),
    },
  ];
}

function showArchive({ archiveFacts, local }: OpsParts): OpsArchive {
  const { archive, follow, archiveEndpoint, archiveRegion, archiveDays } = archiveFacts;
  const isInStore = (archive ?? follow ?? '').startsWith('s3:');
  return {
    writes: archive === undefined ? null : showWritten(archive, local.archive.figures),
    follows: follow === undefined ? null : showFollowed(follow, local.follow.figures),
    endpoint: isInStore ? (archiveEndpoint ?? null) : null,
    region: isInStore ? (archiveRegion ?? null) : null,
    days: archiveDays,
  };
}

/** The figures come a second after the start. */
function showWritten(
  archive: string,
  figures: ArchiveFigures | undefined,
): NonNullable<OpsArchive['writes']> {
  return {
    archive: figures?.archive ?? archive,
    generation: figures?.generation ?? null,
    behind: secondsOf(figures?.behindMs),
    waiting: figures?.waitingBytes ?? null,
    copied: secondsOf(figures?.copyAtMs),
    problem: figures?.problem ?? null,
    failure: figures?.failure ?? null,
    refusal: figures?.refusal ?? null,
    lease: { term: figures?.term ?? 0, problem: figures?.leaseProblem ?? null },
  };
}

function showFollowed(
  archive: string,
  figures: FollowFigures | undefined,
): NonNullable<OpsArchive['follows']> {
  return {
    archive: figures?.archive ?? archive,
    generation: figures?.generation ?? null,
    lag: secondsOf(figures?.lagMs),
    shown: secondsOf(figures?.toMs),
    first: figures?.first ?? null,
    first_is_silent: figures?.isFirstSilent === true,
    problem: figures?.problem ?? null,
    failure: figures?.failure ?? null,
    is_promoting: figures?.isPromoting === true,
  };
}

function showRanges({ archive, lease, generations, olderCount }: ShownRanges): OpsArchiveRanges {
  return {
    archive,
    lease: lease === undefined ? null : showLease(lease),
    generations: generations.map(showGeneration),
    older: olderCount,
  };
}

function showLease({ term, state, host, url, stopsWrites }: NonNullable<ShownRanges['lease']>) {
  return { term, state, host, url, takeover: stopsWrites };
}

function showGeneration(read: ShownGeneration): OpsArchiveRanges['generations'][number] {
  const { generation, description, problem = null, ranges } = read;
  return {
    generation,
    made: secondsOf(description?.madeMs),
    made_by: description?.madeBy ?? null,
    reason: description?.reason ?? null,
    problem,
    databases: ranges.map(({ database, fromMs, toMs, copies, lastPiece }) => ({
      ...{ database, from: secondsOf(fromMs), to: secondsOf(toMs), copies, last_piece: lastPiece },
    })),
  };
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1000;
}
