// Shows the command of a screen or a form, ready to copy, and what the service remarks about it.

import { signal } from '@preact/signals';
import { writeJson } from '../json/exact-json.js';
import { serverFacts } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { CodeBlock } from '../parts/code-block.js';
import { CopyButton } from '../parts/copy-button.js';
import { ConfirmDialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { Segments } from '../parts/segments.js';
import { changeQuery, goTo, parsePart, partText, place } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { bodyOf, type Command, pathOf } from './command.js';
import { commandsTab, keepDraft, unsentAt } from './command-drafts.js';
import type { ShownRemark } from './remark-words.js';
import { type SnippetForm, snippetForms, snippetOf } from './snippets.js';
import type { Draft } from './typed-command.js';

/** What was chosen last: commands open in it. */
const lastForm = signal<SnippetForm>('JSON');

/** The form in which the address shows a command, as `command=find:Python`; undefined where it does not. */
export function commandInAddress(name: string): SnippetForm | undefined {
  const { kind, subject } = parsePart(place.value.query['command'] ?? '');
  if (kind !== name) return undefined;
  return snippetForms.find((form) => form === subject) ?? 'JSON';
}

/** Shows the command of this name, in place of another one, or hides it. */
export function showCommand(name: string, isShown: boolean): void {
  if (isShown === (commandInAddress(name) !== undefined)) return;
  changeQuery({ command: isShown ? partText({ kind: name, subject: lastForm.peek() }) : undefined });
}

/** The command of a page, closed until it is wanted; whether it is open is part of the address. */
export function CommandShown({ command }: { readonly command: Command }) {
  const { name } = command;
  const isOpen = commandInAddress(name) !== undefined;
  return (
    <details class="command" open={isOpen} onToggle={(event) => showCommand(name, event.currentTarget.open)}>
      <summary>
        Command <code>{name}</code>
      </summary>
      {isOpen && <CommandPanel name={name} command={command} />}
    </details>
  );
}

/** The command that a form sends; what is typed is not part of the address. */
export function CommandSent({ command }: { readonly command: Command }) {
  return (
    <details class="command">
      <summary>
        Sends <code>{command.name}</code>
      </summary>
      <CommandForms
        command={command}
        form={lastForm.value}
        onChoose={(form) => {
          lastForm.value = form;
        }}
      />
    </details>
  );
}

/** The command in the form that the address names. */
export function CommandPanel({ name, command }: { readonly name: string; readonly command: Command }) {
  const [unsent, setUnsent] = useEntryState<Draft>();
  return (
    <>
      <CommandForms
        command={command}
        form={commandInAddress(name) ?? 'JSON'}
        onChoose={(form) => {
          lastForm.value = form;
          changeQuery({ command: partText({ kind: name, subject: form }) });
        }}
        onEdit={() => {
          const typed = unsentAt(place.peek().path.join('/'));
          if (typed === undefined) editCommand(command);
          else setUnsent(typed);
        }}
      />
      {unsent !== undefined && (
        <ConfirmDialog
          title="Replace what is typed in the editor?"
          action="Replace it"
          onClose={() => setUnsent(undefined)}
          onConfirm={async () => {
            setUnsent(undefined);
            editCommand(command);
          }}
        >
          <p>This was not run:</p>
          <CodeBlock text={unsent.text} />
        </ConfirmDialog>
      )}
    </>
  );
}

/** Opens the editor of the table, collection or keyspace that is shown. */
function editCommand(command: Command): void {
  const { path } = place.peek();
  const draft = { path: pathOf(command.target), text: writeJson(bodyOf(command), 2) };
  keepDraft(path.join('/'), draft, draft);
  goTo(path, { tab: commandsTab });
}

function CommandForms(props: {
  readonly command: Command;
  readonly form: SnippetForm;
  readonly onChoose: (form: SnippetForm) => void;
  /** Puts the command into the editor. */
  readonly onEdit?: () => void;
}) {
  const { command, form, onChoose, onEdit } = props;
  const facts = serverFacts.value;
  const server = {
    url: facts === undefined ? dataUrlOf('') : dataUrlOf(facts.dataUrl),
    needsToken: facts?.needsToken ?? false,
  };
  const text = snippetOf(form, command, server);
  return (
    <div class="command-forms">
      <div class="button-row">
        <Segments label="Form of the command" choices={snippetForms} chosen={form} onChoose={onChoose} />
        <CopyButton text={text} />
        {onEdit !== undefined && (
          <Button kind="quiet" icon="edit" onPress={onEdit}>
            Edit and run
          </Button>
        )}
      </div>
      <CodeBlock text={text} />
    </div>
  );
}

/** The address for clients on this machine: a server on all addresses is reached under the name of this page. */
function dataUrlOf(given: string): string {
  try {
    const url = new URL(given);
    if (/^(0\.0\.0\.0|\[::\])$/.test(url.hostname)) url.hostname = location.hostname;
    return url.origin;
  } catch {
    return 'http://127.0.0.1:8181';
  }
}

/** The warnings of a reply; `onIndex` opens the form that creates an index on a column. */
export function Remarks({
  remarks,
  onIndex,
}: {
  readonly remarks: readonly ShownRemark[];
  readonly onIndex?: ((column: string) => void) | undefined;
}) {
  return (
    <>
      {remarks.map(({ code, title, text, message, indexColumn }) => (
        <div key={code + title} class="remark">
          <details>
            <summary>
              <Icon name="warning" />
              <span>
                <strong>{title}</strong> <code>{code}</code>
              </span>
            </summary>
            {text !== '' && <p>{text}</p>}
            <p class="lines muted">{message}</p>
          </details>
          {indexColumn !== undefined && onIndex !== undefined && (
            <Button icon="plus" onPress={() => onIndex(indexColumn)}>
              Create this index
            </Button>
          )}
        </div>
      ))}
    </>
  );
}
