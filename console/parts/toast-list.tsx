// Shows the short messages in a corner.
import { useEffect, useRef } from 'preact/hooks';
import { hideToast, toasts } from '../state/toasts.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

/** The messages; assistive technology reads new ones. */
export function ToastList() {
  const list = useRef<HTMLDivElement>(null);
  const newest = toasts.value.at(-1)?.id;
  useEffect(() => {
    const element = list.current;
    if (element === null || newest === undefined || !('showPopover' in element)) return;
    // Shown again, it stands above a dialog that was opened in the meantime.
    if (element.matches(':popover-open')) element.hidePopover();
    element.showPopover();
  }, [newest]);
  return (
    <div class="toasts" role="status" aria-live="polite" popover="manual" ref={list}>
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
