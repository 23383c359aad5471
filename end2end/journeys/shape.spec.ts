// The shape of the pages: what a screen reader hears, 400 % zoom, forced colours, reduced motion, and how fast they show.
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { base, fits, operationWith, pages, readyToSend, signIn, watch } from './people';

test('what the desk says to a screen reader', async ({ page }) => {
  await signIn(page, 'viewer');
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - link "Skip to content"
    - banner:
      - navigation "Main"
    - region "Facts":
      - list
    - navigation "Labels and queues":
      - group:
        - list
        - heading "Before sending" [level=2]
        - list
        - heading "At the provider" [level=2]
        - list
        - heading "On our side" [level=2]
        - list
        - heading "Finished" [level=2]
        - list
        - heading "Outside the books" [level=2]
        - list
        - heading "Queues" [level=2]
        - list
    - main:
      - heading "Dead letters" [level=1]
      - figure /Dead letters per hour/:
        - list
        - group
      - search "Filter dead letters":
        - searchbox "Any id, or words of the error"
        - combobox "Any next action"
        - combobox "Any phase"
        - combobox "Any error"
        - combobox "Any age"
        - button "Filter"
        - group
      - link "newest first"
      - link "oldest first"
      - link "by error"
      - status
      - table "Dead letters, newest first":
        - rowgroup:
          - row "Operation Our side Remote render Label Next action Error Replays Dead since"
        - rowgroup
      - navigation "Pages"
  `);
});

test('what an operation and its review say to a screen reader', async ({ page }) => {
  await signIn(page, 'approver');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  await page.goto(`${base}${operation}`);
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - main:
      - navigation "Breadcrumb"
      - paragraph
      - heading [level=1]
      - table /Our side and the remote render/
      - heading /Next action/ [level=2]
      - heading /Audit/ [level=2]
      - table "Audit"
  `);
  const creation = await readyToSend(page);
  await page.goto(`${base}${creation.replace(/(\?|$)/, '/review$1')}`);
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - main:
      - navigation "Breadcrumb"
      - heading [level=1]
      - form "Dispatch":
        - link "Cancel"
        - textbox /Reason, kept in the audit/
        - textbox /to confirm/
        - button /Submit new generation for/
  `);
});

test('what a recovery, a list and the sign-in page say to a screen reader', async ({ page }) => {
  await page.goto(`${base}/login`);
  await expect(page.locator('body')).toMatchAriaSnapshot(`
    - link "Skip to content"
    - banner:
      - link "Dead Letter Office"
    - main:
      - heading "Sign in" [level=1]
      - text: Name
      - textbox "Name"
      - text: Password
      - textbox "Password"
      - button "Sign in"
  `);
  await signIn(page, 'viewer');
  await page.goto(`${base}/recoveries`);
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - main:
      - heading "Recoveries" [level=1]
      - search "Filter recoveries":
        - textbox "Operation"
        - combobox
        - button "Filter"
      - status
      - table "Recoveries":
        - rowgroup:
          - row "Recovery Operation Action State Outcome Who and why"
        - rowgroup
      - navigation "Pages"
  `);
  await page.locator('tr[data-state] a.id').last().click();
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - main:
      - navigation "Breadcrumb":
        - list:
          - listitem:
            - link "Recoveries"
          - listitem
      - paragraph: /Updated/
      - heading [level=1]
      - link "Open the operation"
      - term: Operation
      - term: Action
      - term: Revision
      - term: Asked
      - definition: /asked to/
      - term: State
      - term: Observed
      - term: Resulted
      - definition: /evision/
  `);
});

test('every page at 400 % zoom, in forced colours and with reduced motion', async ({ browser }) => {
  // 1280 by 1024 px at 400 % are 320 by 256 CSS pixels.
  const context = await browser.newContext({
    viewport: { width: 320, height: 256 }, forcedColors: 'active', reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const wrong = await watch(page);
  await signIn(page, 'approver');
  for (const path of await pages(page)) {
    await page.goto(`${base}${path}`);
    await fits(page);
    await expect(page.locator('h1')).toBeAttached();
    const moving = await page.evaluate(() => document.getAnimations().length);
    expect(moving, `${path} moves`).toBe(0);
  }
  expect(wrong).toEqual([]);
  await context.close();
});

test('the two labels stay apart without colour', async ({ browser }) => {
  const context = await browser.newContext({ forcedColors: 'active' });
  const page = await context.newPage();
  await signIn(page, 'viewer');
  const drawn = async (label: string) => {
    await page.goto(`${base}/dead-letters?label=${label}`);
    return page.locator(`tbody [data-label="${label}"] .tag`).first().evaluate((tag) => {
      const style = getComputedStyle(tag);
      return {
        words: tag.textContent!.trim(), icon: tag.querySelector('use')!.getAttribute('href')!.split('#')[1],
        start: style.borderInlineStartWidth, end: style.borderInlineEndWidth,
      };
    });
  };
  expect(await drawn('local_delivery_failure'))
    .toEqual({ words: 'Local delivery failure', icon: 'local-failure', start: '4px', end: '1px' });
  expect(await drawn('remote_render_failed'))
    .toEqual({ words: 'Remote render failed', icon: 'remote-failed', start: '1px', end: '4px' });
  await context.close();
});

// The bounds of the whole desk with fifty rows, in bytes as they travel.
const BOUNDS = { page: 30 * 1024, sheet: 20 * 1024, script: 10 * 1024 };

test('the desk shows its largest part soon, is light, and asks once', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await signIn(page, 'viewer');
  await expect(page.locator('tbody tr[data-message]')).toHaveCount(50);
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.clearBrowserCache');
  const visit = async () => {
    const asked = new Map<string, { path: string; bytes: number }>();
    const note = (id: string) => asked.get(id) ?? { path: '', bytes: 0 };
    const received = (event: { requestId: string; response: { url: string } }) => {
      const { pathname } = new URL(event.response.url);
      asked.set(event.requestId, { ...note(event.requestId), path: pathname });
    };
    const finished = ({ requestId, encodedDataLength }: { requestId: string; encodedDataLength: number }) =>
      asked.set(requestId, { ...note(requestId), bytes: encodedDataLength });
    network.on('Network.responseReceived', received);
    network.on('Network.loadingFinished', finished);
    await page.goto(`${base}/dead-letters`, { waitUntil: 'load' });
    const painted = await page.evaluate(() => new Promise<number>((done) => {
      new PerformanceObserver((list) => done(list.getEntries().at(-1)!.startTime))
        .observe({ type: 'largest-contentful-paint', buffered: true });
    }));
    network.removeAllListeners();
    return { painted, asked: [...asked.values()] };
  };
  const first = await visit();
  const bytes = (pattern: RegExp) => first.asked.filter((one) => pattern.test(one.path)).map((one) => one.bytes);
  const [html, sheet, script] = [/^\/dead-letters$/, /\.css$/, /\.js$/].map(bytes);
  expect([html, sheet, script].map((one) => one.length), 'one of each').toEqual([1, 1, 1]);
  expect(html[0]).toBeGreaterThan(1000);
  expect(html[0]).toBeLessThanOrEqual(BOUNDS.page);
  expect(sheet[0]).toBeLessThanOrEqual(BOUNDS.sheet);
  expect(script[0]).toBeLessThanOrEqual(BOUNDS.script);
  const others = first.asked.filter((one) => one.path && !/^\/(dead-letters$|events$|assets\/)/.test(one.path));
  expect(others, 'nothing else').toEqual([]);

  // The second time only the page itself travels. A browser asks for the icon when it pleases, so perhaps only now.
  const second = await visit();
  const travelled = ({ asked }: typeof first) =>
    asked.filter((one) => one.path.startsWith('/assets/') && one.bytes > 0).map((one) => one.path);
  const known = travelled(first);
  expect(known.length, 'a sheet and a script').toBeGreaterThanOrEqual(2);
  expect(travelled(second).filter((path) => known.includes(path)), 'assets are kept').toEqual([]);
  for (const { painted } of [first, second]) {
    expect(painted).toBeGreaterThan(0);
    expect(painted, 'a bound for a loaded machine').toBeLessThan(20_000);
  }
  const line = { html: html[0], sheet: sheet[0], script: script[0], first: Math.round(first.painted), second: Math.round(second.painted) };
  appendFileSync(resolve(__dirname, '../test-results/paint.txt'), `${JSON.stringify(line)}\n`);
  await context.close();
});
