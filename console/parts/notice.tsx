// What went wrong, what to know, and what is not there yet, at the place where it arises.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isUnreachable, unreachable } from '../net/send-request.js';
import { signInCount } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icon.js';

/** A box with a message. */
export function Notice(props: {
  readonly kind: 'error' | 'warning' | 'info';
  readonly title?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** A button beside the message. */
  readonly action?: ComponentChildren;
}) {
  return (
    <div class={`notice ${props.kind}`} role={props.kind === 'error' ? 'alert' : 'status'}>
      <Icon name={props.kind === 'info' ? 'events' : 'warning'} />
      <div>
        {props.title !== undefined && <strong>{props.title}</strong>}
        {props.children}
      </div>
      {props.action}
    </div>
  );
}

/** Why something failed, with what the server says about it. */
export function FailureNotice({
  failure,
  onRetry,
  actions,
}: {
  readonly failure: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** Buttons that remove the cause. */
  readonly actions?: ComponentChildren;
}) {
  const { status, kind, message, details } = toFailure(failure);
  // Above the screen it is said once, with a button to try again.
  if (kind === unreachable && onRetry !== undefined && isUnreachable.value)
    return <p class="muted">Not loaded: the server cannot be reached.</p>;
  if (status === 401) return <Unauthorized isLoadedAgain={onRetry !== undefined} />;
  // The details of one problem say the same as the message: `url is missing`, `url: is missing`.
  const further = details.filter((detail) => detail.replace(': ', ' ') !== message);
  return (
    <Notice kind="error" title={message}>
      {further.length > 0 && (
        <ul>
          {further.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
      <p class="notice-foot">
        {kind !== '' && <code>{kind}</code>}
        {actions}
        {onRetry !== undefined && (
          <Button icon="reload" onPress={onRetry}>
            Try again
          </Button>
        )}
      </p>
    </Notice>
  );
}

/** What is loaded is loaded again after the login; what was sent by hand is not. */
function Unauthorized({ isLoadedAgain }: { readonly isLoadedAgain: boolean }) {
  const [before] = useState(signInCount.value);
  if (isLoadedAgain || signInCount.value === before) return <Loading label="Waiting for the login" />;
  return (
    <Notice kind="info" title="You are logged in again. Nothing was changed yet: press the button again." />
  );
}

/** Nothing is here yet: what belongs here, and how to make the first one. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      {props.children !== undefined && <p>{props.children}</p>}
      {props.actions !== undefined && <div class="empty-actions">{props.actions}</div>}
    </div>
  );
}

/** The place of something that is loading. */
export function Loading({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <p class="loading" role="status">
      {label}…
    </p>
  );
}
