// The frame of every screen: navigation, theme, sign-in, messages.
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { alertSummaries } from '../net/alert-summary.js';
import { isUnreachable, pendingCount, sendRequest } from '../net/send-request.js';
import { loadAllAgain, needsSignIn } from '../net/session.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Icon } from '../parts/icon.js';
import { EmptyState, Notice } from '../parts/notice.js';
import { ToastList } from '../parts/toast-list.js';
import { theme, themes } from '../state/theme.js';
import { allClusters, entryNumber, hrefOf, place } from '../state/url-state.js';
import { type Screen, screens } from './screens.js';
import { SignIn } from './sign-in.js';
import { SignedIn } from './signed-in.js';

const iconAddress = new URL('./icon.svg', import.meta.url).href;

/** The whole page. */
export function Shell() {
  const name = place.value.path[0] ?? screens[0]?.path;
  const screen = screens.find(({ path }) => path === name);
  useEffect(() => {
    document.title = screen === undefined ? 'Colonnade' : `${titleOf(screen)} · Colonnade`;
  }, [screen, place.value]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Progress />
      <Navigation current={screen} />
      {isUnreachable.value && <ServerGone />}
      <main id="main" tabIndex={-1}>
        {screen === undefined ? <Nowhere /> : <screen.component />}
      </main>
      {needsSignIn.value !== undefined && <SignIn />}
      <ToastList />
    </div>
  );
}

/** What the tab of the browser shows: the innermost name first. */
function titleOf({ title }: Screen): string {
  const inner = place.value.path.slice(1).at(-1);
  return inner === undefined ? title : `${inner} · ${title}`;
}

function Nowhere() {
  return (
    <EmptyState
      icon="search"
      title="There is nothing at this address"
      actions={<a href="#/">Go to the start</a>}
    >
      The link may be of another version of the console.
    </EmptyState>
  );
}

const askAgainMs = 5000;

/** Says above the screen that there is no server, and asks until there is one. */
function ServerGone() {
  const [isBusy, setBusy] = useState(false);
  const ask = () => {
    setBusy(true);
    sendRequest('console/facts')
      .catch(() => {}) // without a reply the notice stays
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    if (isBusy) return;
    const timer = setInterval(ask, askAgainMs);
    return () => clearInterval(timer);
  }, [isBusy]);
  // The notice goes with the first reply to any request.
  useEffect(() => loadAllAgain, []);
  return (
    <div class="banner">
      <Notice
        kind="error"
        title="The server cannot be reached. Check that it runs. What you see is what was last loaded."
        action={
          <Button icon="reload" isBusy={isBusy} onPress={ask}>
            Try again
          </Button>
        }
      />
    </div>
  );
}

/** A line at the top while requests are under way for longer than a moment. */
function Progress() {
  const [isShown, setShown] = useState(false);
  const isPending = pendingCount.value > 0;
  useEffect(() => {
    const timer = setTimeout(() => setShown(isPending), isPending ? 250 : 0);
    return () => clearTimeout(timer);
  }, [isPending]);
  return <div class={isShown ? 'progress shown' : 'progress'} aria-hidden="true" />;
}

function Navigation({ current }: { readonly current: Screen | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  // A step of the history, not a change in place: the screen may complete its address while the menu is open.
  useEffect(() => setOpen(false), [entryNumber.value]);
  useEffect(() => {
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isOpen) return;
      setOpen(false);
      menu.current?.querySelector('button')?.focus();
    };
    addEventListener('keydown', closeByKey);
    return () => removeEventListener('keydown', closeByKey);
  }, [isOpen]);
  return (
    <header class="top">
      <a class="brand" href="#/">
        <img src={iconAddress} alt="" width="22" height="22" />
        <span>Colonnade</span>
      </a>
      <div class="menu-button" ref={menu}>
        <a class="menu-alerts" href={hrefOfScreen('alerts')}>
          <AlertCount />
        </a>
        <Button kind="quiet" icon="menu" label="Menu" isExpanded={isOpen} onPress={() => setOpen(!isOpen)} />
      </div>
      <nav class={isOpen ? 'open' : ''} aria-label="Screens">
        {screens.map(({ path, title, icon, group }) => (
          <Fragment key={path}>
            {group !== undefined && <p class="nav-group">{group}</p>}
            <a
              href={hrefOfScreen(path)}
              aria-current={current?.path === path ? 'page' : undefined}
              // The history has no step for a link to the screen that is shown already.
              onClick={() => setOpen(false)}
            >
              <Icon name={icon} />
              {title}
              {path === 'alerts' && <AlertCount />}
            </a>
          </Fragment>
        ))}
        <div class="nav-foot">
          <ThemeSwitch />
          <SignedIn />
        </div>
      </nav>
    </header>
  );
}

/** The Alerts screen lists those of all clusters where there are several. */
function hrefOfScreen(path: string): string {
  const isMany = path === 'alerts' && (alertSummaries.value?.length ?? 0) > 1;
  return hrefOf([path], { cluster: isMany ? allClusters : undefined });
}

/** How many alerts fire, in all clusters: on every screen, so that none is missed. */
function AlertCount() {
  const all = alertSummaries.value ?? [];
  const sum = (of: 'firing' | 'open') => all.reduce((count, one) => count + one[of], 0);
  const [firing, open] = [sum('firing'), sum('open')];
  if (firing === 0) return null;
  const words = `${counted(firing, 'alert')} ${firing === 1 ? 'fires' : 'fire'}`;
  const rest = open === firing ? '' : `, ${open} of them neither acknowledged nor silenced`;
  return (
    <span class={open === 0 ? 'alert-count handled' : 'alert-count'} title={`${words}${rest}`}>
      <span aria-hidden="true">{firing}</span>
      <span class="hidden-label">{`: ${words}${rest}`}</span>
    </span>
  );
}

const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const;

function ThemeSwitch() {
  return (
    <fieldset class="theme-switch">
      <legend class="hidden-label">Theme</legend>
      {themes.map((name) => (
        <Button
          key={name}
          kind="quiet"
          icon={themeIcons[name]}
          label={`${name === 'system' ? 'As the system' : name === 'light' ? 'Light' : 'Dark'} theme`}
          isPressed={theme.value === name}
          onPress={() => {
            theme.value = name;
          }}
        />
      ))}
    </fieldset>
  );
}
