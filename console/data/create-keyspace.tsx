// Creates a keyspace.
import { useState } from 'preact/hooks';
import { TextField } from '../parts/field.js';
import { goTo, type Opened } from '../state/url-state.js';
import { CommandDialog } from './command-dialog.js';

/** The dialog; afterwards the new keyspace is shown. */
export function CreateKeyspaceDialog({
  over,
  onCreated,
}: {
  readonly over: Opened;
  readonly onCreated: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <CommandDialog
      title="Create a keyspace"
      action="Create"
      commands={name === '' ? 'Type a name.' : [{ target: {}, name: 'createKeyspace', body: { name } }]}
      done={`Created the keyspace ${name}.`}
      onDone={() => {
        onCreated();
        if (over.isShown()) goTo(['data', name]);
      }}
      onClose={over.close}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        hint="Letters, digits and underscores; 48 at most."
      />
    </CommandDialog>
  );
}
