// A dialog that sends commands: it shows them, and the reason when one is refused.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { FailureNotice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { type Command, type CommandReply, sendCommand } from './command.js';
import { CommandShown } from './command-shown.js';

/** A form whose commands are sent one after the other. */
export interface CommandDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The words of the button that sends; without them there is none. */
  readonly action: string | undefined;
  readonly isDanger?: boolean;
  readonly isWide?: boolean;
  /** What the form would send now; a text says what is missing. */
  readonly commands: readonly Command[] | string;
  /** Further buttons at the left. */
  readonly more?: ComponentChildren;
  readonly done: string;
  readonly onDone: (replies: readonly CommandReply[]) => void;
  readonly onClose: () => void;
}

/** Shows the dialog. */
export function CommandDialog(props: CommandDialogProps) {
  const { commands } = props;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const send = async () => {
    if (typeof commands === 'string') return;
    setBusy(true);
    setFailure(undefined);
    try {
      const replies: CommandReply[] = [];
      for (const command of commands) replies.push(await sendCommand(command));
      showToast(props.done);
      props.onDone(replies);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={props.title}
      isWide={props.isWide ?? false}
      onClose={props.onClose}
      onSubmit={() => void send()}
      actions={
        <>
          {props.more}
          <Button onPress={props.onClose}>{props.action === undefined ? 'Close' : 'Cancel'}</Button>
          {props.action !== undefined && (
            <Button
              kind={props.isDanger === true ? 'danger' : 'primary'}
              type="submit"
              isBusy={isBusy}
              isDisabled={typeof commands === 'string'}
            >
              {props.action}
            </Button>
          )}
        </>
      }
    >
      {props.children}
      {failure !== undefined && <FailureNotice failure={failure} />}
      {typeof commands === 'string' ? (
        <p class="hint">{commands}</p>
      ) : (
        commands.map((command) => <CommandShown key={command.name} command={command} title="Sends" />)
      )}
    </Dialog>
  );
}
