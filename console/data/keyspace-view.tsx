// A keyspace: its tables and collections, or the ways to make the first one.
import { RequestFailure } from '../net/send-request.js';
import { mayChange, serverFacts, whyNoCollections } from '../net/server-facts.js';
import type { Loaded } from '../net/use-loaded.js';
import { Button, LinkButton } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { EmptyState, FailureNotice } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { showToast } from '../state/toasts.js';
import { goTo, hrefOf, opened, place, stayHere } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { useTask } from '../state/use-task.js';
import { chooseEmbedding, type EmbeddingChoice } from './choose-embedding.js';
import { sendCommand } from './command.js';
import { commandsTab } from './command-drafts.js';
import { CommandShown } from './command-shown.js';
import { CreateItemDialog } from './create-item.js';
import { createNew } from './create-new.js';
import { openCreate } from './create-ways.js';
import { countAll, countOf, mostCounted, useCounts } from './item-counts.js';
import { CommandsView } from './lazy-views.js';
import { type Sample, samples } from './samples.js';
import { columnsOf, type Item, listTables } from './schema.js';

/** The tables and collections of a keyspace. */
export function KeyspaceView(props: {
  readonly keyspace: string;
  readonly items: Loaded<readonly Item[]>;
  readonly onDropped: () => void;
}) {
  const { keyspace, items } = props;
  const over = mayChange() ? opened.value : undefined;
  const taken = items.value?.map(({ name }) => name) ?? [];
  const [isDropping, setDropping] = useEntryState<true>();
  if (place.value.query['tab'] === commandsTab)
    return <KeyspaceCommands keyspace={keyspace} onRun={items.reload} />;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{keyspace}</h1>
        <div class="button-row">
          <LinkButton icon="code" href={hrefOf(['data', keyspace], { tab: commandsTab })}>
            Commands
          </LinkButton>
          {mayChange() && items.value !== undefined && (
            <Button icon="trash" kind="quiet" onPress={() => setDropping(true)}>
              Drop
            </Button>
          )}
          {mayChange() && items.value !== undefined && items.value.length > 0 && (
            <Button kind="primary" icon="plus" onPress={() => openCreate('Form')}>
              Create
            </Button>
          )}
        </div>
      </header>
      <Content {...props} />
      <CommandShown command={listTables(keyspace)} />
      {over?.kind === 'create' && (
        <CreateItemDialog {...{ keyspace, taken, over }} onCreated={items.reload} />
      )}
      {isDropping === true && (
        <ConfirmDialog
          title={`Drop the keyspace ${keyspace}`}
          action="Drop the keyspace"
          typed={keyspace}
          onClose={() => setDropping(undefined)}
          onConfirm={async () => {
            const isHere = stayHere();
            await sendCommand({ target: {}, name: 'dropKeyspace', body: { name: keyspace } });
            showToast(`Dropped the keyspace ${keyspace}.`);
            props.onDropped();
            if (isHere()) goTo(['data']);
          }}
        >
          <p>
            All its tables and collections, with all rows and documents, are deleted. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function KeyspaceCommands(props: { readonly keyspace: string; readonly onRun: () => void }) {
  const { keyspace, onRun } = props;
  return (
    <div class="item">
      <header class="item-head">
        <div class="crumbs">
          <a href={hrefOf(['data', keyspace])}>{keyspace}</a>
          <Icon name="right" />
          <h1>Commands</h1>
        </div>
      </header>
      <CommandsView target={{ keyspace }} onRun={onRun} />
    </div>
  );
}

function Content({
  keyspace,
  items,
}: {
  readonly keyspace: string;
  readonly items: Loaded<readonly Item[]>;
}) {
  return (
    <Shown loaded={items}>
      {(value) =>
        value.length === 0 ? (
          <FirstItem keyspace={keyspace} onCreated={items.reload} />
        ) : (
          <>
            <ItemTable keyspace={keyspace} items={value} />
            {mayChange() && (
              <section class="stack">
                <h2>Sample data</h2>
                <div class="button-row">
                  <SampleButtons keyspace={keyspace} items={value} onCreated={items.reload} />
                </div>
              </section>
            )}
          </>
        )
      }
    </Shown>
  );
}

function ItemTable({ keyspace, items }: { readonly keyspace: string; readonly items: readonly Item[] }) {
  const columns: readonly TableColumn<Item>[] = [
    {
      title: 'Name',
      cell: ({ name, kind }) => (
        <a class="with-icon" href={hrefOf(['data', keyspace, name])}>
          <Icon name={kind} />
          {name}
        </a>
      ),
    },
    { title: 'Kind', cell: ({ kind }) => kind },
    { title: 'Count', kind: 'number', isNamed: true, cell: (item) => countText(keyspace, item) },
    { title: 'Structure', kind: 'wide', cell: (item) => <span class="muted">{structureOf(item)}</span> },
  ];
  useCounts(keyspace, items);
  const { running, run } = useTask();
  const uncounted = items.filter((item) => countOf(keyspace, item) === undefined);
  return (
    <>
      <DataTable label="Tables and collections" columns={columns} rows={items} keyOf={({ name }) => name} />
      {items.length > mostCounted && uncounted.length > 0 && (
        <div>
          <Button
            isBusy={running !== undefined}
            onPress={() =>
              void run('save', async () => {
                await countAll(keyspace, uncounted);
                return undefined;
              })
            }
          >
            Count the others
          </Button>
        </div>
      )}
    </>
  );
}

/** `12`, or `1,000+` where counting ended there; empty until it is known. */
function countText(keyspace: string, item: Item): string {
  const known = countOf(keyspace, item);
  return known === undefined ? '' : `${known.count.toLocaleString()}${known.isLeast ? '+' : ''}`;
}

const mostNames = 6;

function structureOf({ kind, definition }: Item): string {
  if (kind === 'collection') return Object.keys(definition).join(', ') || 'documents';
  const names = columnsOf(definition).map(({ name }) => name);
  const more = names.length - mostNames;
  return `${names.slice(0, mostNames).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Loads a sample; what was created is removed again when it fails, unless others have written there since. */
async function loadSample(
  sample: Sample,
  keyspace: string,
  service: EmbeddingChoice['service'],
  signal: AbortSignal,
): Promise<void> {
  const { kind, name } = sample;
  const [command, ...others] = sample.commands(keyspace, service);
  if (command === undefined) return;
  const advice = 'To load the sample, drop it first, or choose another keyspace.';
  await createNew({ keyspace, name, command, advice }, signal);
  try {
    for (const next of others) await sendCommand(next);
  } catch (error) {
    const isOfOthers = error instanceof RequestFailure && error.kind === 'DOCUMENT_ALREADY_EXISTS';
    const drop = kind === 'table' ? 'dropTable' : 'deleteCollection';
    // The first failure says why the sample was not loaded, also if what was created cannot be removed.
    if (!isOfOthers)
      await sendCommand({ target: { keyspace }, name: drop, body: { name } }).catch(() => undefined);
    throw error;
  }
}

/** Buttons that load the samples whose names are free, and words about the others. */
function SampleButtons(props: {
  readonly keyspace: string;
  readonly items: readonly Item[];
  readonly onCreated: () => void;
}) {
  const { keyspace, items, onCreated } = props;
  const { running, failure, run } = useTask<string>();
  const load = (sample: Sample) =>
    run(sample.name, async (signal) => {
      const isHere = stayHere();
      const { service, words } = await chooseEmbedding();
      await loadSample(sample, keyspace, service, signal);
      showToast(`Loaded the sample ${sample.kind} ${sample.name}. ${words}`);
      onCreated();
      if (isHere()) goTo(['data', keyspace, sample.name]);
    });
  const offered = samples.filter(
    ({ kind }) => kind === 'table' || serverFacts.value?.hasCollections !== false,
  );
  const taken = offered.filter((sample) => items.some(({ name }) => name === sample.name));
  return (
    <>
      {offered.map((sample) => (
        <Button
          key={sample.name}
          icon={sample.kind}
          label={sample.summary}
          isBusy={running === sample.name}
          isDisabled={running !== undefined || taken.includes(sample)}
          onPress={() => void load(sample)}
        >
          {`Load a sample ${sample.kind}`}
        </Button>
      ))}
      {taken.length > 0 && (
        <p class="hint">
          {takenText(taken)} To load a sample again, drop it first, or choose another keyspace.
        </p>
      )}
      {serverFacts.value?.hasCollections === false && <p class="hint">{whyNoCollections}</p>}
      {failure !== undefined && <FailureNotice failure={failure} />}
    </>
  );
}

function takenText(taken: readonly Sample[]): string {
  const names = taken.map(({ name }) => name).join(' and ');
  return `${names} ${taken.length === 1 ? 'exists' : 'exist'} in this keyspace.`;
}

function FirstItem(props: { readonly keyspace: string; readonly onCreated: () => void }) {
  if (!mayChange())
    return (
      <EmptyState icon="table" title="This keyspace is empty">
        An operator can create tables and collections.
      </EmptyState>
    );
  const things = serverFacts.value?.hasCollections === false ? 'table' : 'table or collection';
  return (
    <EmptyState
      icon="table"
      title="This keyspace is empty"
      actions={
        <>
          <Button kind="primary" icon="plus" onPress={() => openCreate('Form')}>
            {`Create a ${things}`}
          </Button>
          <Button icon="upload" onPress={() => openCreate('File')}>
            Create from a file
          </Button>
          <SampleButtons {...props} items={[]} />
        </>
      }
    >
      {`Create the first ${things}, also from a CSV or JSON file, or load one with sample data.`}
    </EmptyState>
  );
}
