// Who the journeys are made by, and what every page must be.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type axe from 'axe-core';
import { filled } from '../demo';

const state = JSON.parse(readFileSync(resolve(__dirname, '../test-results/demo.json'), 'utf8'));
export const base: string = state.base;

/** How every page is looked at. */
export const LOOKS = (['light', 'dark'] as const).flatMap((theme) => [1280, 320].map((width) => ({ theme, width })));

/** Signs in at an office, and goes to where the person wanted to be. */
export async function signInAt(office: string, page: Page, name: string, password: string, next: string) {
  await page.goto(`${office}/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(new RegExp(`${next.replace(/[?]/g, '\\?')}`));
  // The address changes before the page's script has run.
  await page.waitForLoadState('load');
}

/** Is at an address, and the page there is ready for keys. */
export async function arrived(page: Page, address: string) {
  await expect(page).toHaveURL(address);
  await page.waitForLoadState('load');
}

// Asked once in each process of journeys.
let history: Promise<void> | undefined;

export async function signIn(page: Page, name: 'viewer' | 'operator' | 'approver' | 'inspector', next = '/dead-letters') {
  await (history ??= filled(state));
  return signInAt(base, page, name, state.passwords[name], next);
}

// No script, no other host, nothing in the console, nothing wider than the window.
export async function watch(page: Page, office = base) {
  const wrong: string[] = [];
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(office)) wrong.push(`asked ${request.url()}`);
  });
  return wrong;
}

export async function fits(page: Page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
}

// What the WCAG asks, up to 2.2 AA. Put into the page by the debugger, as our own policy lets no other script in.
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export async function accessible(page: Page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async (values) => {
    const asked = (globalThis as unknown as { axe: typeof axe }).axe;
    // Only what is wrong is described: to describe what is right takes three times as long.
    const { violations, passes } = await asked.run(document, {
      resultTypes: ['violations'], runOnly: { type: 'tag', values },
    });
    return { wrong: violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(', ')}`), right: passes.length };
  }, AA);
  expect(found.wrong, page.url()).toEqual([]);
  expect(found.right, 'rules that were tried').toBeGreaterThan(10);
}

/** Opens a page and asks of it what every page must be. */
export async function whole(page: Page, address: string, status = 200) {
  const answer = await page.goto(address);
  expect(answer!.status(), address).toBe(status);
  await soundly(page);
}

/** What every page must be, of the page that is open. */
export async function soundly(page: Page) {
  const address = page.url();
  await expect(page.locator('h1'), address).toHaveCount(1);
  expect(await page.locator('script').count(), `${address} has one script`).toBe(1);
  expect(await page.locator('script[src^="/assets/app."]').count(), `${address} has ours`).toBe(1);
  expect(await page.locator('[style]').count(), `${address} has an inline style`).toBe(0);
  await fits(page);
  // What is folded must fit and be read too.
  await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
  await fits(page);
  await accessible(page);
}

/** From 1600 px on what comes later may stand beside what comes first. Says whether it does here, and that it does so soundly. */
export async function spreads(page: Page): Promise<boolean> {
  const spread = page.locator('main > .spread');
  if (!(await spread.count())) return false;
  const before = page.viewportSize()!;
  await page.setViewportSize({ width: 1920, height: before.height });
  await expect(spread, `${page.url()} in columns`).toHaveCSS('display', 'grid');
  await fits(page);
  await accessible(page);
  await page.setViewportSize(before);
  return true;
}

/** The pages of the demo, for somebody who is signed in. */
export async function pages(page: Page): Promise<string[]> {
  const delivery = await operationWith(page, 'label=local_delivery_failure');
  const failed = await operationWith(page, 'label=remote_render_failed');
  const unclear = await operationWith(page, 'action=reconcile');
  const creation = await operationWith(page, 'action=dispatch');
  const message = await page.locator('tr[data-message]').first().getAttribute('data-message');
  await page.goto(`${base}/recoveries`);
  const recovery = await page.locator('main a[href^="/recoveries/"]').first().getAttribute('href');
  const review = (operation: string) => operation.replace(/(\?|$)/, '/review$1');
  return [
    '/dead-letters', '/dead-letters?label=remote_render_failed', '/dead-letters?group=category',
    '/dead-letters?sort=oldest&age=30d&limit=5', '/dead-letters?q=nothing-is-called-so',
    `/dead-letters/${message}`, `/dead-letters/${message}/purge`,
    '/operations', '/operations?unseen=never_died', '/operations?counted=money_unresolved',
    delivery, failed, unclear, creation, `${delivery.split('?')[0]}?at=1`,
    review(delivery), review(unclear), review(creation),
    '/recoveries', '/recoveries?state=active', recovery!, '/queues', '/audit', '/providers', '/preferences', '/permissions',
  ];
}

// The first operation whose row shows this label, by its link.
export async function operationWith(page: Page, query: string) {
  await page.goto(`${base}/dead-letters?${query}`);
  const link = page.locator('main tbody tr[data-operation] a[href*="/operations/"]').first();
  await expect(link).toBeVisible();
  return (await link.getAttribute('href'))!;
}

// An operation whose creation no guard blocks for this person.
export async function readyToSend(page: Page) {
  await page.goto(`${base}/dead-letters?action=dispatch&limit=200`);
  const links = page.locator('main tbody tr[data-operation] a[href*="/operations/"]');
  const found = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
  await page.goto(`${base}/operations?action=dispatch&limit=200`);
  found.push(...(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')!))));
  for (const href of found) {
    await page.goto(`${base}${href.replace(/(\?|$)/, '/review$1')}`);
    if (await page.locator('form[data-action="dispatch"] button[type="submit"]:enabled').count()) return href;
  }
  throw new Error('the demo has no operation that is ready to be sent');
}
