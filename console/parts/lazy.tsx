// Parts that are loaded when they are first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.js';
import { Loading, Notice } from './notice.js';

/** Loads a component once; it is shown as soon as it is there. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setRound] = useState(0);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setRound((round) => round + 1);
        },
        () => setFailed(true),
      );
    }, []);
    if (loaded !== undefined) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    return hasFailed ? <PartMissing /> : <Loading />;
  };
}

/** The server was upgraded since this tab was opened, or cannot be reached: its files have other names now. */
function PartMissing() {
  return (
    <Notice kind="warning" title="This part of the console could not be loaded.">
      <p>The server may have been upgraded since this tab was opened, or it cannot be reached.</p>
      <p class="notice-foot">
        <Button icon="reload" onPress={() => location.reload()}>
          Load the page again
        </Button>
      </p>
    </Notice>
  );
}
