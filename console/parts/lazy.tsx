// Screens that are loaded when they are first shown.
import type { ComponentType } from 'preact';
import { Button } from './button.js';
import { Loading, Notice } from './notice.js';
import { partOf, usePart } from './use-part.js';

/** A component that is shown as soon as its code is there. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const part = partOf(load);
  return function Lazy(props: Props) {
    const { code: Loaded, hasFailed } = usePart(part);
    if (Loaded !== undefined) return <Loaded {...props} />;
    return hasFailed ? <PartMissing /> : <Loading />;
  };
}

/** The server cannot be reached, or it was upgraded since this tab was opened: its files have other names now. */
function PartMissing() {
  return (
    <Notice kind="warning" title="This part of the console could not be loaded. It is tried again by itself.">
      <p>If the server was upgraded since this tab was opened, load the page again.</p>
      <p class="notice-foot">
        <Button icon="reload" onPress={() => location.reload()}>
          Load the page again
        </Button>
      </p>
    </Notice>
  );
}
