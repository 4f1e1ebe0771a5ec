// Shows the short messages in a corner.
import { hideToast, toasts } from '../state/toasts.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

/** The messages; assistive technology reads new ones. */
export function ToastList() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'warning'} />
          <span>{text}</span>
          <Button kind="quiet" icon="close" label="Hide" onPress={() => hideToast(id)} />
        </div>
      ))}
    </div>
  );
}
