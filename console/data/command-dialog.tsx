// A dialog that sends commands: it shows them, and the reason when one is refused.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { writeJson } from '../json/exact-json.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { bodyOf, type Command, type CommandReply, sendCommand } from './command.js';
import { CommandSent } from './command-shown.js';

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
  /** Looks before they are sent for a reason not to send them. A reason is shown, and the next press sends the same. */
  readonly check?: () => Promise<string | undefined>;
  /** Sends one of them; by default `sendCommand`. @throws RequestFailure */
  readonly send?: (command: Command) => Promise<CommandReply>;
  /** Further buttons at the left. */
  readonly more?: ComponentChildren;
  readonly done: string;
  readonly onDone: (replies: readonly CommandReply[]) => void;
  readonly onClose: () => void;
}

/** Why these commands should not be sent: after a change of the form there may be other reasons. */
interface Doubt {
  readonly reason: string;
  readonly sent: string;
}

function textOf(commands: CommandDialogProps['commands']): string {
  return typeof commands === 'string' ? '' : commands.map((command) => writeJson(bodyOf(command))).join('\n');
}

/** Shows the dialog. */
export function CommandDialog(props: CommandDialogProps) {
  const { commands, send: sendOne = (command) => sendCommand(command) } = props;
  const { running, failure, run, isShown } = useTask<'send'>();
  const [doubt, setDoubt] = useState<Doubt>();
  const isDoubted = doubt !== undefined && doubt.sent === textOf(commands);
  const send = () =>
    run('send', async () => {
      if (typeof commands === 'string') return undefined;
      const found = isDoubted ? undefined : await props.check?.();
      if (found !== undefined) {
        if (!isShown()) throw new Error(`Nothing was sent. ${found}`);
        setDoubt({ reason: found, sent: textOf(commands) });
        return undefined;
      }
      const replies: CommandReply[] = [];
      for (const command of commands) replies.push(await sendOne(command));
      showToast(props.done);
      return () => props.onDone(replies);
    });
  return (
    <Dialog
      title={props.title}
      isWide={props.isWide ?? false}
      onClose={props.onClose}
      onSubmit={() => void send()}
      isSending={running !== undefined}
      actions={<Actions {...props} isBusy={running !== undefined} isDoubted={isDoubted} />}
      message={
        failure !== undefined ? (
          <FailureNotice failure={failure} />
        ) : (
          isDoubted && <Notice kind="warning" title={doubt.reason} />
        )
      }
    >
      {props.children}
      {typeof commands === 'string' ? (
        <p class="hint">{commands}</p>
      ) : (
        commands.map((command) => <CommandSent key={command.name} command={command} />)
      )}
    </Dialog>
  );
}

function Actions(props: CommandDialogProps & { readonly isBusy: boolean; readonly isDoubted: boolean }) {
  const { action, commands, isDoubted } = props;
  return (
    <>
      {props.more}
      <Button onPress={props.onClose}>{action === undefined ? 'Close' : 'Cancel'}</Button>
      {action !== undefined && (
        <Button
          kind={props.isDanger === true || isDoubted ? 'danger' : 'primary'}
          type="submit"
          isBusy={props.isBusy}
          isDisabled={typeof commands === 'string'}
        >
          {isDoubted ? `${action} anyway` : action}
        </Button>
      )}
    </>
  );
}
