// Creates a keyspace.
import { useState } from 'preact/hooks';
import { TextField } from '../parts/field.js';
import { goTo } from '../state/url-state.js';
import { CommandDialog } from './command-dialog.js';

/** The dialog; afterwards the new keyspace is shown. */
export function CreateKeyspaceDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
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
        goTo(['data', name]);
      }}
      onClose={onClose}
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
