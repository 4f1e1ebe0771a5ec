// Shows the command of a screen or a form, ready to copy, and what the service remarks about it.
import { signal } from '@preact/signals';
import { serverFacts } from '../net/server-facts.js';
import { CopyButton } from '../parts/copy-button.js';
import { Icon } from '../parts/icon.js';
import type { Command, Remark } from './command.js';
import { type SnippetForm, snippetForms, snippetOf } from './snippets.js';

const form = signal<SnippetForm>('JSON');

/** The command, closed until it is wanted. */
export function CommandShown({ command, title }: { readonly command: Command; readonly title?: string }) {
  return (
    <details class="command">
      <summary>
        {title ?? 'Command'} <code>{command.name}</code>
      </summary>
      <CommandForms command={command} />
    </details>
  );
}

/** The command in the chosen form. */
export function CommandForms({ command }: { readonly command: Command }) {
  const facts = serverFacts.value;
  const server = {
    url: facts === undefined ? dataUrlOf('') : dataUrlOf(facts.dataUrl),
    needsToken: facts?.needsToken ?? false,
  };
  const text = snippetOf(form.value, command, server);
  return (
    <div class="command-forms">
      <div class="button-row">
        <fieldset class="segments">
          <legend class="hidden-label">Form of the command</legend>
          {snippetForms.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={form.value === name}
              onClick={() => {
                form.value = name;
              }}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keyboard. */}
      <pre class="code-block" tabIndex={0}>
        {text}
      </pre>
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

/** The warnings of a reply. */
export function Remarks({ remarks }: { readonly remarks: readonly Remark[] }) {
  return (
    <>
      {remarks.map(({ code, title, message }) => (
        <details key={code + message} class="remark">
          <summary>
            <Icon name="warning" />
            <strong>{title === '' ? code : title}</strong> <code>{code}</code>
          </summary>
          <p class="lines">{message}</p>
        </details>
      ))}
    </>
  );
}
