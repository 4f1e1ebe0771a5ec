// Commands that are typed: edited, run, and found again.

import { useState } from 'preact/hooks';
import { writeJson } from '../json/exact-json.js';
import { sendRequest } from '../net/send-request.js';
import { serverFacts } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { CodeBlock } from '../parts/code-block.js';
import { ConfirmDialog } from '../parts/dialog.js';
import { SelectField } from '../parts/field.js';
import { JsonEditor } from '../parts/json-editor.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { changeQuery, fitsAddress, place } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { useTask } from '../state/use-task.js';
import { errorsIn, pathOf, type Target } from './command.js';
import { draftAt, keepDraft } from './command-drafts.js';
import { longestCommand, noteCommand } from './command-history.js';
import { CommandList } from './command-list.js';
import { CommandResult, type Result, resultOf } from './command-result.js';
import { commandName, type Draft, isDestructive, readPath } from './typed-command.js';

/** What is sent where nothing is typed yet: it reads only. */
const beginnings: readonly string[] = ['findKeyspaces', 'listTables', 'find'];

/** The editor of commands for a keyspace, or for a table or collection; `onRun` is called after each. */
export function CommandsView({ target, onRun }: { readonly target: Target; readonly onRun: () => void }) {
  const paths = targetsAround(target).map(pathOf);
  const { draft, edit, result, running, failure, send } = useEditor(paths[0] ?? '', onRun);
  const [isAsking, setAsking] = useEntryState<true>();
  const command = commandName(draft.text);
  const runOrAsk = () => {
    if (command === undefined) return;
    if (isDestructive(draft.text)) setAsking(true);
    else void send();
  };
  return (
    <div class="page">
      {linkedCommand() === 'refused' && <Notice kind="error" title={refusedLink} />}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          runOrAsk();
        }}
        onKeyDownCapture={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          // The editor would begin a line.
          event.preventDefault();
          event.stopPropagation();
          runOrAsk();
        }}
      >
        <SelectField
          label="Send to"
          value={draft.path}
          choices={[...new Set([...paths, draft.path])].map((path) => ({ value: path, label: `/${path}` }))}
          onChange={(path) => edit({ ...draft, path })}
        />
        <JsonEditor label="Command" value={draft.text} onChange={(text) => edit({ ...draft, text })} />
        <div class="button-row">
          <Button kind="primary" type="submit" isBusy={running} isDisabled={command === undefined}>
            Run
          </Button>
          <p class="hint">{hintFor(draft.text, command)}</p>
        </div>
      </form>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {result !== undefined && <CommandResult {...result} />}
      <CommandList onUse={({ path, text }) => edit({ path, text })} />
      {isAsking === true && (
        <Question draft={draft} command={command ?? ''} onClose={() => setAsking(undefined)} onRun={send} />
      )}
    </div>
  );
}

const refusedLink =
  'The command of this link was left out: it is not for the database, a keyspace, a table or a collection.';

/** What commands can be sent to from a place: what is shown there first. */
function targetsAround(target: Target): readonly Target[] {
  const { keyspace, name } = target;
  return [...(name === undefined ? [] : [target]), ...(keyspace === undefined ? [] : [{ keyspace }]), {}];
}

/** What is typed, and the reply to what was sent; `path` is that of the place. */
function useEditor(path: string, onRun: () => void) {
  const here = place.value.path.join('/');
  const linked = linkedCommand();
  const addressed = linked === 'refused' ? undefined : linked;
  const draft = draftAt(here, addressed) ?? beginningAt(path);
  const [result, setResult] = useState<Result>();
  const { running, failure, run } = useTask();
  const edit = (next: Draft) => keepDraft(here, next, addressed);
  const send = () =>
    run('save', async () => {
      const beganAt = performance.now();
      const user = serverFacts.peek()?.user ?? '';
      const note = (isRefused: boolean) => noteCommand({ ...draft, isRefused, user, atMs: Date.now() });
      const isFit = fitsAddress(draft.text);
      keepDraft(here, draft, draft);
      changeQuery(isFit ? { to: draft.path, body: draft.text } : { to: undefined, body: undefined });
      try {
        const reply = await sendRequest(`data/${draft.path}`, { method: 'POST', bodyText: draft.text });
        note(errorsIn(reply).length > 0);
        const name = commandName(draft.text) ?? 'reply';
        setResult(resultOf(name, reply, performance.now() - beganAt));
      } catch (error) {
        note(true);
        setResult(undefined);
        throw error;
      }
      onRun();
      return undefined;
    });
  return { draft, edit, result, send, failure, running: running !== undefined };
}

/** Asks before something is dropped or deleted. */
function Question(props: {
  readonly draft: Draft;
  readonly command: string;
  readonly onClose: () => void;
  readonly onRun: () => Promise<void>;
}) {
  return (
    <ConfirmDialog
      title={`Run ${props.command}?`}
      action="Run"
      onClose={props.onClose}
      onConfirm={async () => {
        props.onClose();
        await props.onRun();
      }}
    >
      <p>What it drops or deletes cannot be restored.</p>
      <CodeBlock text={`POST /${props.draft.path}\n\n${props.draft.text}`} />
    </ConfirmDialog>
  );
}

function hintFor(text: string, command: string | undefined): string {
  if (command === undefined) return 'A command is a JSON object with one member: its name.';
  return text.length > longestCommand
    ? 'It is too long to be kept among those that were run before.'
    : 'Ctrl with Enter runs it.';
}

/** The command in the address; undefined where it has none, or one that would go somewhere else. */
function linkedCommand(): Draft | 'refused' | undefined {
  const { to, body } = place.value.query;
  if (to === undefined || body === undefined) return undefined;
  const path = readPath(to);
  return path === undefined ? 'refused' : { path, text: body };
}

function beginningAt(path: string): Draft {
  const name = beginnings[path.split('/').length - 1] ?? 'find';
  return { path, text: writeJson({ [name]: {} }, 2) };
}
