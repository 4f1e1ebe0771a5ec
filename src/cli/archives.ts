// `colonnade archives`: lists what an archive has.

import type { ArchivedRange, ListedGeneration } from '../archive/contents/list-archive.js';
import { holderInWords, type LeaseRecord } from '../archive/lease/lease-record.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import {
  archiveOptionNames,
  archiveOptionsHelp,
  momentText,
  noteOfOther,
} from './archive/archive-arguments.js';
import { runOnStorage, type StorageSurroundings, storageOptionsHelp } from './backup/storage-command.js';
import type { CliCommand } from './cli-command.js';

/** The command. Its exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
export function archivesCommand(surroundings: StorageSurroundings): CliCommand {
  return {
    name: 'archives',
    summary: 'lists the moments that an archive has',
    help: () => usage,
    run: (args, output) =>
      runOnStorage('archives', args, accepted, surroundings, output, async (run) => {
        const { output: result, interrupted, argument = '', config } = run;
        const { listArchive } = await import('../archive/contents/list-archive.js');
        const store = await surroundings.openArchive(argument, config);
        const { archive, madeMs, generations, others } = await listArchive(store, interrupted);
        for (const generation of generations) for (const line of linesOf(generation)) result.line(line);
        for (const other of others) result.line(noteOfOther(other));
        const { LeaseWatch } = await import('../archive/lease/lease-watch.js');
        const { record } = await new LeaseWatch(store, systemClock).look(interrupted);
        if (record !== undefined) result.line(leaseLine(record));
        if (generations.length === 0) result.line(`${store.title}: no generation yet`);
        // A moment of another generation can be chosen all the same.
        const isDamaged = generations.some(({ problem }) => problem !== undefined);
        return result.end(isDamaged ? 1 : 0, {
          archive: store.title,
          id: archive,
          madeAt: momentText(madeMs),
          lease: record === undefined ? null : leaseJson(record),
          generations: generations.map(toJson),
        });
      }),
  };
}

const accepted = {
  ofServer: archiveOptionNames,
  problem: ({ argument }: { readonly argument: string | undefined }) =>
    argument === undefined ? 'give one archive: a directory or s3://BUCKET/PREFIX' : undefined,
};

function linesOf({ generation, description, ranges, problem }: ListedGeneration): readonly string[] {
  const parts = ranges.flatMap(({ database, fromMs, toMs, copies, lastPiece, continues }) =>
    fromMs === undefined || toMs === undefined
      ? [`  ${database}: nothing to restore yet: no copy is complete`]
      : [
          `  ${database}: every moment from ${momentText(fromMs)} to ${momentText(toMs)} ` +
            `(${copies} ${copies === 1 ? 'copy' : 'copies'}, up to piece ${lastPiece})`,
          ...(continues === undefined ? [] : [`  ${database}: ${continuesLine(continues)}`]),
        ],
  );
  const about =
    description === undefined ? 'cannot be read' : `by ${description.madeBy}; ${description.reason}`;
  return [`${generation}: ${about}`, ...parts, ...(problem === undefined ? [] : [`  damaged: ${problem}`])];
}

function continuesLine({ generation, sequence }: NonNullable<ArchivedRange['continues']>): string {
  const place = sequence === 0 ? 'as it began' : `behind its piece ${sequence}`;
  return `it continues the generation ${generation} ${place}, whose copy its first moments are made from`;
}

/** Whether the holder still renews it cannot be seen at one look. */
function leaseLine(record: LeaseRecord): string {
  const holder = holderInWords(record);
  return record.state === 'released'
    ? `lease ${record.term}: ${holder} had it, and has ended`
    : `lease ${record.term}: ${holder} has it, or has ended without a notice`;
}

function leaseJson({ term, state, server, host, url, opsUrl, durationMs, stopsWrites }: LeaseRecord): object {
  return { term, state, server, host, url, opsUrl, seconds: durationMs / 1000, takeover: stopsWrites };
}

function toJson({ generation, description, ranges, problem }: ListedGeneration): object {
  const optional = (ms: number | undefined) => (ms === undefined ? null : momentText(ms));
  return {
    ...{ generation, madeBy: description?.madeBy ?? null, madeAt: optional(description?.madeMs) },
    ...{ engine: description?.engine ?? null, reason: description?.reason ?? null, problem: problem ?? null },
    databases: ranges.map(({ database, fromMs, toMs, copies, lastPiece, continues }) => ({
      ...{ database, from: optional(fromMs), to: optional(toMs), copies, lastPiece },
      continues:
        continues === undefined ? null : { generation: continues.generation, piece: continues.sequence },
    })),
  };
}

const usage = `Lists the generations of an archive, the oldest first, and the moments of each that colonnade
restore can make a data directory of. A generation has the changes of one data directory
without a gap. docs/archives.md has more.

Usage: colonnade archives ARCHIVE [OPTIONS]

ARCHIVE is a directory or s3://BUCKET/PREFIX.

Options:
${archiveOptionsHelp}${storageOptionsHelp}
Exit codes: 0 listed, 1 failed, or something is damaged, 2 the command line cannot be used,
130 interrupted.
`;
