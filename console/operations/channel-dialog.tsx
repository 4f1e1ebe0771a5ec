// The form of a notification channel: the server describes the fields of each type.
import { useState } from 'preact/hooks';
import { change, pathOf } from '../net/ops-api.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { FailureNotice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { bodyOf, DescribedFields, type Draft, draftOf } from './described-fields.js';
import { kinds } from './kinds.js';

/** A channel; secrets are never shown. */
export interface OpsChannel {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly levels: readonly string[];
  readonly events?: boolean;
  readonly url?: string;
  readonly host?: string;
  readonly to?: readonly string[];
}

/** The dialog for a new channel, or for a stored one. */
export function ChannelDialog(props: {
  readonly cluster: string;
  readonly channel: OpsChannel | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { cluster, channel, onClose } = props;
  const { channels } = kinds();
  const isNew = channel === undefined;
  const [draft, setDraft] = useState<Draft>(() =>
    isNew ? { type: channels[0]?.name ?? '' } : draftOf(channel),
  );
  const { running, failure, run } = useTask();
  const fields = channels.find(({ name }) => name === draft['type'])?.fields ?? [];
  const save = () =>
    run('save', async () => {
      await store(cluster, channel, bodyOf(fields, draft, isNew));
      return props.onDone;
    });
  return (
    <Dialog
      title={isNew ? 'New channel' : 'Change the channel'}
      onClose={onClose}
      onSubmit={() => void save()}
      isSending={running !== undefined}
      message={failure !== undefined && <FailureNotice failure={failure} />}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={running !== undefined}>
            {isNew ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <DescribedFields fields={fields} draft={draft} isNew={isNew} onChange={setDraft} />
    </Dialog>
  );
}

async function store(cluster: string, channel: OpsChannel | undefined, body: object): Promise<void> {
  const path = pathOf(cluster, 'notification-channels');
  if (channel === undefined) await change('POST', path, body);
  else await change('PUT', `${path}/${encodeURIComponent(channel.id)}`, body);
  showToast(channel === undefined ? 'The channel is added: send a test' : 'The channel is changed');
}
