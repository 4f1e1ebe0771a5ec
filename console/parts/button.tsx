// Buttons and links that look like them.
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

/** A button. Without children, `label` is what assistive technology reads and what shows on hover. */
export interface ButtonProps {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly label?: string;
  readonly children?: ComponentChildren;
  readonly isDisabled?: boolean;
  /** Shows that its work is under way; it cannot be pressed again meanwhile. */
  readonly isBusy?: boolean;
  readonly type?: 'button' | 'submit';
  readonly isPressed?: boolean;
  /** Whether the menu below the button is open. */
  readonly isExpanded?: boolean;
  readonly onPress?: () => void;
}

/** A button: one `primary` on a form at most. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', icon, label, children, isDisabled = false, isBusy = false, isPressed } = props;
  return (
    <button
      type={props.type ?? 'button'}
      class={`button ${kind}${children === undefined ? ' only-icon' : ''}`}
      disabled={isDisabled}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      aria-label={children === undefined ? label : undefined}
      aria-pressed={isPressed}
      aria-expanded={props.isExpanded}
      title={label}
      onClick={(event) => {
        // A disabled button would lose the focus, so a busy one ignores clicks. The second click of two must not
        // answer what the first one led to.
        if (isBusy || (props.type === 'submit' && event.detail > 1)) event.preventDefault();
        else props.onPress?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

/** A link to another place that looks like a button. */
export function LinkButton({
  href,
  kind = 'plain',
  icon,
  children,
}: Pick<ButtonProps, 'kind' | 'icon' | 'children'> & { readonly href: string }) {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}
