// The commands that were run before, to be found and used again.
import { useState } from 'preact/hooks';
import { shortened } from '../../src/foundation/text/shorten-text.js';
import { serverFacts } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { Time } from '../parts/time.js';
import { useEntryState } from '../state/use-entry-state.js';
import {
  commandsWith,
  forgetCommands,
  mostCommands,
  type PastCommand,
  pastCommands,
} from './command-history.js';

/** A list of fewer commands has no field for searching. */
const searchedFrom = 6;
const shownCharacters = 300;

/** Lists them, newest first; `onUse` puts one into the editor. */
export function CommandList({ onUse }: { readonly onUse: (command: PastCommand) => void }) {
  const user = serverFacts.value?.user ?? '';
  const [words, setWords] = useState('');
  const [isForgetting, setForgetting] = useEntryState<true>();
  const all = pastCommands(user);
  if (all.length === 0) return null;
  const columns: readonly TableColumn<PastCommand>[] = [
    { title: 'When', kind: 'line', cell: ({ atMs }) => <Time atMs={atMs} /> },
    { title: 'To', kind: 'line', cell: ({ path }) => <code>/{path}</code> },
    { title: 'Command', kind: 'wide', cell: ({ text }) => <code>{beginning(text)}</code> },
    { title: 'Reply', cell: ({ isRefused }) => (isRefused ? <span class="badge">refused</span> : 'done') },
    {
      kind: 'buttons',
      cell: (command) => (
        <Button icon="edit" onPress={() => onUse(command)}>
          Edit
        </Button>
      ),
    },
  ];
  return (
    <section class="stack">
      <header class="page-head">
        <h2>Run before</h2>
        <Button kind="quiet" icon="trash" onPress={() => setForgetting(true)}>
          Forget them
        </Button>
      </header>
      {all.length >= searchedFrom && (
        <TextField
          label="Find a command"
          isLabelHidden
          type="search"
          placeholder="Find a command by its words"
          value={words}
          onChange={setWords}
        />
      )}
      <DataTable
        label="Commands that were run before"
        columns={columns}
        rows={commandsWith(words, all)}
        keyOf={({ path, text }) => `${path} ${text}`}
      />
      <p class="hint">This browser keeps the last {mostCommands}, with their values.</p>
      {isForgetting === true && <Question user={user} onClose={() => setForgetting(undefined)} />}
    </section>
  );
}

function Question({ user, onClose }: { readonly user: string; readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Forget the commands"
      action="Forget them"
      onClose={onClose}
      onConfirm={async () => {
        forgetCommands(user);
        onClose();
      }}
    >
      <p>This browser forgets all commands that you ran in its console. Data is not changed.</p>
    </ConfirmDialog>
  );
}

function beginning(text: string): string {
  return shortened(text.replaceAll(/\s+/g, ' '), shownCharacters);
}
