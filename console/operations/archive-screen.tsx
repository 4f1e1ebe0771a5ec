// The Archive screen: how far the archive of this server is, or how far this server follows one, and how to restore it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OpsArchive, OpsArchiveRanges } from '../../src/descriptions/operations-replies.js';
import { useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState, Notice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { PromoteDialog } from './promote-dialog.js';
import { RestoreCommands } from './restore-commands.js';
import { bytesText, Seconds } from './show-values.js';

const everyMs = 2_000;
const rangesEveryMs = 10_000;

export function ArchiveScreen() {
  const archive = useResource<OpsArchive>('archive', { everyMs });
  // After a promotion the server closes its ports and opens them again, and answers as a follower until then.
  const [isPromoted, setPromoted] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Archive</h1>
        {archive.value?.follows?.is_promoting === false && mayChange() && !isPromoted && (
          <Button kind="primary" icon="up" onPress={() => setAsking(true)}>
            Promote
          </Button>
        )}
      </header>
      <Shown loaded={archive}>
        {({ writes, follows, ...rest }) => (
          <>
            {follows !== null && <Followed {...follows} isPromoted={isPromoted} />}
            {writes !== null && <Written {...writes} days={rest.days} />}
            {writes === null && follows === null && <NoArchive />}
            {writes !== null && <Ranges place={{ ...rest, archive: writes.archive }} />}
            {follows !== null && <Ranges place={{ ...rest, archive: follows.archive }} />}
          </>
        )}
      </Shown>
      {isAsking && (
        <PromoteDialog
          first={archive.value?.follows?.first ?? null}
          onClose={() => setAsking(false)}
          onDone={() => {
            setAsking(false);
            setPromoted(true);
          }}
        />
      )}
    </div>
  );
}

function NoArchive() {
  return (
    <EmptyState icon="archive" title="This server has no archive">
      Start it with <code>--archive DIRECTORY</code>, on another disk or machine, or with{' '}
      <code>--archive s3://BUCKET/PREFIX</code>, and any moment of the last days can be restored from there.
      Archives are for servers whose rows are in their data directory.
    </EmptyState>
  );
}

function Written(props: NonNullable<OpsArchive['writes']> & Pick<OpsArchive, 'days'>) {
  const { archive, generation, behind, waiting, copied, problem, failure, refusal, lease, days } = props;
  const reason = problem ?? failure ?? lease.problem;
  return (
    <>
      {refusal !== null && <Notice kind="error" title={`Writes are refused: ${refusal}`} />}
      {refusal === null && reason !== null && <Notice kind="warning" title={`${asSentence(reason)}.`} />}
      <Facts
        label="The state of the archive"
        facts={[
          ['Archive', <code key="archive">{archive}</code>],
          ['Behind', behindText(behind)],
          ['Waiting', bytesText(waiting)],
          ['Newest copies', copied === null ? 'none is complete yet' : <Seconds at={copied} isRelative />],
          ['Generation', generation ?? 'none yet'],
          ['Lease', leaseText(lease)],
          ['Moments are kept for', `${days} days`],
        ]}
      />
    </>
  );
}

function Followed(props: NonNullable<OpsArchive['follows']> & { readonly isPromoted: boolean }) {
  const { archive, generation, lag, shown, first, first_is_silent: isSilent, problem, failure } = props;
  const isBecomingFirst = props.is_promoting || props.isPromoted;
  const reason = problem ?? failure;
  return (
    <>
      {isBecomingFirst && (
        <Notice
          kind="info"
          title="This server is becoming the first one. It closes all connections, and answers again on the same ports."
        />
      )}
      {!isBecomingFirst && reason !== null && <Notice kind="warning" title={`${asSentence(reason)}.`} />}
      <Facts
        label="How this server follows an archive"
        facts={[
          ['Follows the archive', <code key="archive">{archive}</code>],
          ['Reads may be behind by', lag === null ? 'not known yet' : secondsText(lag)],
          ['State of', shown === null ? 'not known yet' : <Seconds at={shown} />],
          ['First server', first ?? 'none holds the lease of the archive'],
          ['Its lease', first === null ? '' : isSilent ? 'it has stopped renewing it' : 'it renews it'],
          ['Generation', generation ?? 'none yet'],
        ]}
      />
    </>
  );
}

function Facts(props: {
  readonly label: string;
  readonly facts: readonly (readonly [string, ComponentChildren])[];
}) {
  return (
    <section class="card" aria-label={props.label}>
      <dl class="facts">
        {props.facts.map(([name, value]) =>
          value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

function Ranges({ place }: { readonly place: Parameters<typeof RestoreCommands>[0]['place'] }) {
  const ranges = useResource<OpsArchiveRanges>('archive/ranges', { everyMs: rangesEveryMs });
  return (
    <>
      <section class="card">
        <h2>Moments that can be restored</h2>
        <Shown loaded={ranges}>
          {({ generations, older }) => (
            <>
              {generations.length === 0 ? (
                <p class="muted">The archive has no generation yet.</p>
              ) : (
                <DataTable
                  label="Moments that can be restored"
                  columns={columns}
                  rows={generations}
                  keyOf={({ generation }) => generation}
                />
              )}
              {older > 0 && (
                <p class="muted">
                  {`${older} earlier ${older === 1 ? 'generation is' : 'generations are'} not shown: `}
                  <code>colonnade archives</code> lists all.
                </p>
              )}
            </>
          )}
        </Shown>
      </section>
      <RestoreCommands place={place} ranges={ranges.value} />
    </>
  );
}

type Generation = OpsArchiveRanges['generations'][number];

const columns: readonly TableColumn<Generation>[] = [
  { title: 'From', isNamed: true, cell: (generation) => <Moment at={rowsOf(generation)?.from} /> },
  { title: 'To', isNamed: true, cell: (generation) => <Moment at={rowsOf(generation)?.to} /> },
  { title: 'Copies', isNamed: true, cell: (generation) => rowsOf(generation)?.copies ?? '—' },
  {
    title: 'Generation',
    isNamed: true,
    kind: 'wide',
    cell: ({ generation, reason, made_by: madeBy, problem }) => (
      <>
        {generation}
        {reason !== null && <span class="muted">{` by ${madeBy}: ${reason}`}</span>}
        {problem !== null && <p class="problem">{problem}</p>}
      </>
    ),
  },
];

function rowsOf({ databases }: Generation) {
  return databases.find(({ database }) => database === 'data');
}

function Moment({ at }: { readonly at: number | null | undefined }) {
  return at == null ? <span class="muted">nothing yet</span> : <Seconds at={at} />;
}

function behindText(seconds: number | null): string {
  if (seconds === null) return 'not known yet';
  return seconds === 0 ? '0 s: it has every change' : secondsText(seconds);
}

function secondsText(seconds: number): string {
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

function leaseText({ term, problem }: NonNullable<OpsArchive['writes']>['lease']): string {
  if (problem !== null) return 'this server does not have it';
  return term === 0 ? 'not known yet' : `this server has it, term ${term}`;
}

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
