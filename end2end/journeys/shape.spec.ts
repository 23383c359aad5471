// The shape of the pages: what a screen reader hears, 400 % zoom, forced colours, reduced motion, and how fast they show.
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { base, fits, operationWith, readyToSend, signIn, watch } from './people';

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

test('at 400 % zoom, in forced colours and with reduced motion, everything is there', async ({ browser }) => {
  // 1280 px at 400 % are 320 CSS pixels.
  const context = await browser.newContext({
    viewport: { width: 320, height: 256 }, forcedColors: 'active', reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const wrong = await watch(page);
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=remote_render_failed');
  for (const path of ['/dead-letters', '/dead-letters?group=category', operation, '/recoveries', '/audit']) {
    await page.goto(`${base}${path}`);
    await fits(page);
    await expect(page.locator('h1')).toBeAttached();
    const moving = await page.evaluate(() => document.getAnimations().length);
    expect(moving, `${path} moves`).toBe(0);
  }
  expect(wrong).toEqual([]);
  await context.close();
});

test('the desk shows its largest part soon, with one request and kept assets', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await signIn(page, 'viewer');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${base}/dead-letters`);
  const painted = await page.evaluate(() => new Promise<number>((done) => {
    new PerformanceObserver((list) => done(list.getEntries().at(-1)!.startTime))
      .observe({ type: 'largest-contentful-paint', buffered: true });
  }));
  expect(asked.filter((path) => path === '/dead-letters'), 'one page').toHaveLength(1);
  expect(asked.filter((path) => !/^\/(dead-letters|events|assets\/)/.test(path)), 'nothing else').toEqual([]);
  expect(painted).toBeGreaterThan(0);
  expect(painted, 'a bound for a loaded machine').toBeLessThan(20_000);
  appendFileSync(resolve(__dirname, '../test-results/paint.txt'), `${Math.round(painted)}\n`);
  await context.close();
});
