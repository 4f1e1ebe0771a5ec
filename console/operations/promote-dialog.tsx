// Asks before this server becomes the first one, says what that means, and what the server answers.
import { useState } from 'preact/hooks';
import { change } from '../net/ops-api.js';
import { RequestFailure } from '../net/send-request.js';
import { toFailure } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { CheckField } from '../parts/field.js';
import { FailureNotice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';

/** The command line waits as long: the lease of a server that was lost has to end first. */
const timeoutMs = 300_000;

/** `first`: the server that holds the lease, in words. */
export function PromoteDialog(props: {
  readonly first: string | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { running, failure, run } = useTask();
  const [isForced, setForced] = useState(false);
  // Only the server knows when force is needed: the first request is always one without.
  const [needsForce, setNeedsForce] = useState(false);
  const promote = () =>
    run('save', async () => {
      try {
        await change('POST', 'promote', needsForce ? { force: isForced } : {}, { timeoutMs });
      } catch (error) {
        if (toFailure(error).details.some((detail) => detail.startsWith('force:'))) setNeedsForce(true);
        throw error;
      }
      showToast('This server becomes the first one');
      return props.onDone;
    });
  return (
    <Dialog
      title="Make this server the first one?"
      onClose={props.onClose}
      onSubmit={() => void promote()}
      isSending={running !== undefined}
      message={failure !== undefined && <FailureNotice failure={withoutDetails(failure)} />}
      actions={
        <>
          <Button onPress={props.onClose}>{running === undefined ? 'Cancel' : 'Close'}</Button>
          <Button
            kind="danger"
            type="submit"
            isBusy={running !== undefined}
            isDisabled={needsForce && !isForced}
          >
            {needsForce ? 'Promote with force' : 'Promote'}
          </Button>
        </>
      }
    >
      <Meaning first={props.first} />
      {needsForce && (
        <CheckField
          label="The server before has stopped, and nothing starts it again. What it still accepts is lost."
          isChecked={isForced}
          isDisabled={running !== undefined}
          onChange={setForced}
        />
      )}
      {running !== undefined && (
        <p role="status">
          The server waits until the one before has surely stopped writing: usually some 20 seconds. Closing
          this window does not stop it.
        </p>
      )}
    </Dialog>
  );
}

/** What a promotion means. */
function Meaning({ first }: { readonly first: string | null }) {
  return (
    <>
      <p>
        It takes the lease of the archive, applies what is left in it, and then accepts writes on the same
        ports. All connections are closed, and sessions end.
      </p>
      <p>
        Stop the first server before{first === null ? '' : ` (${first})`}, or make sure that its machine is
        lost and nothing starts it again. What it acknowledged and had not shipped, usually in its last
        second, is missing here.
      </p>
    </>
  );
}

/** A detail names the member of the request, for programs: the form has the box in its place. */
function withoutDetails(failure: unknown): RequestFailure {
  const { status, kind, message } = toFailure(failure);
  return new RequestFailure(status, kind, message);
}
