// Opens the console in the Chromium of the system, and checks what holds for every screen.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { freePort } from '../free-port.js';
import { type RunningServer, type StartOptions, startServer } from '../start-server.js';

/** Where systems have it; the environment variable CHROMIUM names another one. */
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const chromiumPath = process.env['CHROMIUM'] ?? usualPaths.find((path) => existsSync(path));

/** Why tests in a browser are skipped: an option of `describe`. False when there is one. */
export const withoutBrowser: string | false =
  chromiumPath === undefined
    ? 'no Chromium: install it (`apt-get install chromium`) or set CHROMIUM to its path'
    : false;

/** How a page is opened. */
export interface PageOptions {
  readonly theme?: 'light' | 'dark';
  /** Default 1280 x 800. */
  readonly size?: { readonly width: number; readonly height: number };
  /** The address on the port: `/#/data`. */
  readonly path?: string;
}

/** The width of a phone. */
export const phone = { width: 390, height: 780 };

/** One tab, and what was noted of it. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console of the browser reported as error or warning, and uncaught errors. */
  readonly errors: string[];
  /** Requests to another address than the server's. */
  readonly foreignRequests: string[];
}

/** The server and the browser of a suite. */
export interface ConsoleUnderTest {
  readonly server: RunningServer;
  /** A new tab in a context of its own; closed by the end of the suite. */
  open(options?: PageOptions): Promise<OpenPage>;
  /** Sends a command to the data port. */
  command(path: string, body: object): Promise<unknown>;
}

/**
 * Starts a server and a browser for the suite that calls, and ends them behind it. A function is called when the suite
 * starts.
 */
export function useConsole(options: StartOptions | (() => StartOptions) = {}): ConsoleUnderTest {
  let server: RunningServer | undefined;
  let browser: Browser | undefined;
  before(async () => {
    server = await startServer(typeof options === 'function' ? options() : options);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
  const running = () => server ?? assert.fail('the server has not been started');
  return {
    get server() {
      return running();
    },
    open: (pageOptions = {}) =>
      openPage(browser ?? assert.fail('the browser has not been started'), running().opsUrl, pageOptions),
    command: (path, body) => sendCommand(running().url, path, body),
  };
}

/** Starts the browser. Its sandbox needs rights that containers do not have. */
export function launch(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', ...args] });
}

/** A machine that does much else needs this time. What a test waits for comes, or the test fails. */
const longestWaitMs = 60_000;

/** A browser whose tabs hide each other, as those of people do. */
export interface TabbedBrowser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/**
 * Starts a browser in which the tab that was opened or brought to the front last hides the others. In the browsers of
 * `launch` every tab is shown.
 */
export async function launchWithHidingTabs(): Promise<TabbedBrowser> {
  const port = await freePort();
  const started = await launch([`--remote-debugging-port=${port}`]);
  try {
    const connected = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
    const context = connected.contexts()[0] ?? assert.fail('the browser has no context');
    context.setDefaultTimeout(longestWaitMs);
    return { context, close: () => started.close() };
  } catch (error) {
    await started.close();
    throw error;
  }
}

/** Opens a tab and waits for the first screen. */
export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<OpenPage> {
  const { theme = 'light', size = { width: 1280, height: 800 }, path = '/' } = options;
  const context = await browser.newContext({
    viewport: size,
    colorScheme: theme,
    hasTouch: size.width < 500,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  context.setDefaultTimeout(longestWaitMs);
  const page = await context.newPage();
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) foreignRequests.push(request.url());
  });
  await page.goto(`${url}${path}`);
  await page.locator('main').waitFor();
  return { page, context, errors, foreignRequests };
}

/**
 * Waits until an expression is true in the page. The Content-Security-Policy lets a page evaluate a text only while the
 * debugger calls it, so the text is that of a function, which is evaluated once and then called again and again.
 */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  // A hidden page draws no pictures, so the time between two calls is in milliseconds.
  await page.waitForFunction(`() => ${expression}`, undefined, { polling: 50 });
}

/** Sends a command to a data port. @throws AssertionError when the reply has errors */
export async function sendCommand(url: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const reply: unknown = await response.json();
  assert.ok(!Object.hasOwn(Object(reply), 'errors'), JSON.stringify(reply));
  return reply;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Findings of axe that block people: of the levels serious and critical, by the rules of WCAG 2.2 AA. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger: the Content-Security-Policy does not let the page itself do that.
  await page.evaluate(axeSource);
  const found: readonly {
    id: string;
    impact: string;
    nodes: readonly { html: string; failureSummary: string }[];
  }[] = await page.evaluate(`axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    }).then(({ violations }) => violations)`);
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const texts = serious.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
  assert.deepEqual(texts, []);
}

/** The page is not wider than its window: nothing has to be scrolled sideways to be read. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(excess) <= 0, `the page is ${excess} pixels wider than the window`);
}

/** Every column of a table has its heading above it, also after other screens loaded their styles. */
export async function expectHeadingsAbove(page: Page): Promise<void> {
  const moved = await page.evaluate(`[...document.querySelectorAll('table.table')].filter((table) => {
    const left = (cell) => Math.round(cell?.getBoundingClientRect().left ?? 0);
    const heading = table.querySelector('th:last-child');
    const cell = table.querySelector('tbody tr td:last-child');
    return cell !== null && left(heading) !== left(cell);
  }).map((table) => table.parentElement.getAttribute('aria-label'))`);
  assert.deepEqual(moved, []);
}

/** Nothing was reported by the browser, and nothing was requested elsewhere. */
export function expectQuiet({ errors, foreignRequests }: OpenPage): void {
  assert.deepEqual({ errors, foreignRequests }, { errors: [], foreignRequests: [] });
}
