// The commands that restore an archive: for its newest state, and for a moment that is chosen.
import { useId, useState } from 'preact/hooks';
import type { OpsArchiveRanges } from '../../src/descriptions/operations-replies.js';
import { CodeBlock } from '../parts/code-block.js';
import { CopyButton } from '../parts/copy-button.js';
import { TextField } from '../parts/field.js';
import { Time } from '../parts/time.js';
import { secondsOfLocalTime } from './chart-time.js';
import { type ArchivePlace, findState, restoreCommand } from './restore-command.js';

/** Shows both commands. `ranges`: what the archive has; undefined until it is read. */
export function RestoreCommands(props: {
  readonly place: ArchivePlace;
  readonly ranges: OpsArchiveRanges | undefined;
}) {
  const { place, ranges } = props;
  const [typed, setTyped] = useState('');
  const atS = secondsOfLocalTime(typed);
  return (
    <section class="card">
      <h2>Restore</h2>
      <p class="muted">
        The command makes a new data directory; nothing is overwritten, and this server continues.
        {place.archive.startsWith('s3:') && (
          <>
            {' '}
            It takes the keys of the object store from <code>COLONNADE_ARCHIVE_ACCESS_KEY</code> and{' '}
            <code>COLONNADE_ARCHIVE_SECRET_KEY</code>.
          </>
        )}
      </p>
      <Command title="The newest state" text={restoreCommand(place)} />
      <div class="form-row">
        <TextField
          label="Moment"
          type="datetime-local"
          step={1}
          value={typed}
          onChange={setTyped}
          hint="In the time zone of this browser; the command has it in UTC."
        />
      </div>
      {!Number.isNaN(atS) && (
        <>
          {ranges !== undefined && <StateOfMoment ranges={ranges} atS={atS} />}
          <Command title="The moment" text={restoreCommand(place, atS)} />
        </>
      )}
    </section>
  );
}

function Command({ title, text }: { readonly title: string; readonly text: string }) {
  const id = useId();
  return (
    <section class="command-block" aria-labelledby={id}>
      <header class="page-head">
        <h3 id={id}>{title}</h3>
        <CopyButton text={text} />
      </header>
      <CodeBlock text={text} />
    </section>
  );
}

/** What the archive has of the moment. */
function StateOfMoment({ ranges, atS }: { readonly ranges: OpsArchiveRanges; readonly atS: number }) {
  const found = findState(ranges, atS, Date.now() / 1000);
  return (
    <p class={found.kind === 'state' ? 'muted' : 'problem'} role="status">
      <StateWords found={found} atS={atS} />
    </p>
  );
}

function StateWords({ found, atS }: { readonly found: ReturnType<typeof findState>; readonly atS: number }) {
  switch (found.kind) {
    case 'future':
      return <>This moment is in the future.</>;
    case 'unknown':
      return <>Only an earlier generation, which is not shown, can have this moment.</>;
    case 'tooEarly':
      if (found.firstS === undefined) return <>The archive has nothing to restore yet.</>;
      return (
        <>
          The first moment that the archive has is <Time atMs={found.firstS * 1000} />.
        </>
      );
    case 'state':
      if (found.stateS === atS) return <>The archive has this moment.</>;
      return (
        <>
          The archive has the state of <Time atMs={found.stateS * 1000} /> for this moment: nothing later was
          shipped before it.
        </>
      );
  }
}
