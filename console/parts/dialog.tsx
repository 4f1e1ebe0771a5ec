// Dialogs over the page: the browser keeps the focus inside, closes them with Escape and returns the focus.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { holdPlace } from '../state/url-state.js';
import { useTask } from '../state/use-task.js';
import { Button } from './button.js';
import { FailureNotice } from './notice.js';

/** A dialog; it is open as long as it is rendered. */
export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The buttons at the bottom. */
  readonly actions?: ComponentChildren;
  /** Above the buttons, in view wherever the content is scrolled to: what the form has to say. */
  readonly message?: ComponentChildren;
  readonly isWide?: boolean;
  /**
   * Escape, or the button for it: a form of several fields in which something was typed asks first. It asks too when
   * the browser leaves the place.
   */
  readonly onClose: () => void;
  /** Makes it a form that Enter sends. */
  readonly onSubmit?: () => void;
  /** Neither Escape nor a button closes it. */
  readonly isRequired?: boolean;
  /** What was typed is being saved: closing it does not take that back. */
  readonly isSending?: boolean;
}

const firstInput = ['input', 'select', 'textarea'].map((name) => `.dialog-body ${name}:enabled`).join();
/** The fields of a form. An editor of JSON counts as several, with the place that it stands in. */
const typedParts = `${firstInput}, .json-editor, .json-editor .editor-host`;
const firstButton = 'footer button:enabled';

/** Opens the dialog, and keeps the focus in it: also when what had it is gone, as after a step of the form. */
function useModal(dialog: { readonly current: HTMLDialogElement | null }, isCovered: boolean): void {
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    // The browser would choose the button that closes the dialog.
    focusFirst(element);
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    if (document.activeElement === document.body && document.hasFocus() && !isCovered)
      focusFirst(dialog.current);
  });
}

/**
 * What closes it besides its buttons. After several keys without another input the browser closes a dialog without
 * asking, so the key is handled here; if the browser does it by other means, a required dialog opens again.
 */
function closingOf(
  dialog: { readonly current: HTMLDialogElement | null },
  isRequired: boolean,
  close: () => void,
  onClosed: () => void,
) {
  const ask = (event: Event) => {
    event.preventDefault();
    if (!isRequired) close();
  };
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) ask(event);
      // The key that opened the form, or answered a question, is still held: it must not answer the next one.
      if (event.key === 'Enter' && event.repeat && !(event.target instanceof HTMLTextAreaElement))
        event.preventDefault();
    },
    onCancel: (event: Event) => {
      if (event.target === dialog.current) ask(event);
    },
    onClose: () => {
      // A dialog that closes because it is no longer rendered has no element here any more.
      if (dialog.current === null || dialog.current.open) return;
      if (isRequired) dialog.current.showModal();
      else onClosed();
    },
  };
}

function focusFirst(dialog: HTMLElement | null): void {
  const input = dialog?.querySelector<HTMLElement>(firstInput);
  (input ?? dialog?.querySelector<HTMLElement>(firstButton))?.focus();
}

/** Shows a dialog. */
export function Dialog(props: DialogProps) {
  const { title, children, actions, message, isWide = false, isRequired = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  /** Something was typed while there were several fields. */
  const isTouched = useRef(false);
  const isMuch = () => (dialog.current?.querySelectorAll(typedParts).length ?? 0) > 1;
  const [leaving, setLeaving] = useState<{ readonly leave: () => void }>();
  const id = useId();
  const close = () => {
    if (isTouched.current && isMuch()) setLeaving({ leave: props.onClose });
    else props.onClose();
  };
  useModal(dialog, leaving !== undefined);
  useEffect(() => {
    const isHeld = () => isTouched.current && !isRequired;
    return holdPlace({ isHeld, ask: (leave) => setLeaving({ leave }) });
  }, [isRequired]);
  return (
    <>
      <dialog
        ref={dialog}
        class={isWide ? 'dialog wide' : 'dialog'}
        aria-labelledby={id}
        {...closingOf(dialog, isRequired, close, props.onClose)}
      >
        <form
          novalidate={props.onSubmit === undefined}
          onInput={() => {
            isTouched.current ||= isMuch();
          }}
          onSubmit={(event) => {
            event.preventDefault();
            props.onSubmit?.();
          }}
        >
          <header>
            <h2 id={id}>{title}</h2>
            {!isRequired && <Button kind="quiet" icon="close" label="Close" onPress={close} />}
          </header>
          <div class="dialog-body">{children}</div>
          <div class="dialog-message">{message}</div>
          {actions !== undefined && <footer>{actions}</footer>}
        </form>
      </dialog>
      {leaving !== undefined && (
        <LeaveDialog
          isSending={props.isSending ?? false}
          onStay={() => setLeaving(undefined)}
          onLeave={leaving.leave}
        />
      )}
    </>
  );
}

function LeaveDialog(props: {
  readonly isSending: boolean;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}) {
  const { isSending } = props;
  return (
    <ConfirmDialog
      title={isSending ? 'Close before it is saved?' : 'Close without saving?'}
      action={isSending ? 'Close the form' : 'Discard the changes'}
      onClose={props.onStay}
      onConfirm={async () => props.onLeave()}
    >
      <p>
        {isSending
          ? 'It was sent already: closing does not stop it. If it fails, a message says so, and what you typed is lost.'
          : 'What you typed is lost.'}
      </p>
    </ConfirmDialog>
  );
}

/** Says why what a link names cannot be shown. */
export function MissingDialog(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      actions={<Button onPress={props.onClose}>Close</Button>}
    >
      <p>{props.children}</p>
    </Dialog>
  );
}

/** Asks before something is lost. With `typed`, that text has to be typed first. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly typed?: string;
  /** The dialog stays open, with the reason, when it fails. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { running, failure, run } = useTask<'confirm'>();
  const [text, setText] = useState('');
  const confirm = () =>
    run('confirm', async () => {
      await props.onConfirm();
    });
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={() => void confirm()}
      message={failure !== undefined && <FailureNotice failure={failure} />}
      actions={
        <>
          <Button onPress={props.onClose}>Cancel</Button>
          <Button
            kind="danger"
            type="submit"
            isBusy={running !== undefined}
            isDisabled={props.typed !== undefined && text !== props.typed}
          >
            {props.action}
          </Button>
        </>
      }
    >
      {props.children}
      {props.typed !== undefined && (
        <label class="field">
          <span>
            Type <code>{props.typed}</code> to confirm
          </span>
          <input class="input" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      )}
    </Dialog>
  );
}
