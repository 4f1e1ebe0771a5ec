// Tabs whose choice is part of the address.
import { useRef } from 'preact/hooks';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number | undefined;
}

/** A row of tabs; the arrow keys move between them. The panel below needs `id={tabPanelId}`. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const step = (by: number) => {
    const at = props.tabs.findIndex(({ id }) => id === props.chosen);
    const next = props.tabs[(at + by + props.tabs.length) % props.tabs.length];
    if (next === undefined) return;
    props.onChoose(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={props.label}
      ref={list}
      onKeyDown={(event) => {
        const by = steps[event.key];
        if (by === undefined) return;
        event.preventDefault();
        step(by);
      }}
    >
      {props.tabs.map(({ id, label, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          data-tab={id}
          aria-selected={id === props.chosen}
          aria-controls={id === props.chosen ? tabPanelId : undefined}
          tabIndex={id === props.chosen ? 0 : -1}
          onClick={() => props.onChoose(id)}
        >
          {label}
          {count !== undefined && <span class="count">{count}</span>}
        </button>
      ))}
    </div>
  );
}

/** The tab that an address names; the first one where it names none of them. */
export function chosenTab<Id extends string>(
  tabs: readonly [{ readonly id: Id }, ...(readonly { readonly id: Id }[])],
  text: string | undefined,
): Id {
  return (tabs.find(({ id }) => id === text) ?? tabs[0]).id;
}

/** The id of the panel that the tabs switch. */
export const tabPanelId = 'tab-panel';
