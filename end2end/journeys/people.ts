// Who the journeys are made by, and what every page must be.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, type Page } from '@playwright/test';
import AxeBuilder from '@axe-core/playwright';

const state = JSON.parse(readFileSync(resolve(__dirname, '../test-results/demo.json'), 'utf8'));
export const base: string = state.base;

export async function signIn(page: Page, name: 'viewer' | 'operator' | 'approver', next = '/dead-letters') {
  await page.goto(`${base}/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(state.passwords[name]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(new RegExp(`${next.replace(/[?]/g, '\\?')}`));
}

// No script, no other host, nothing in the console, nothing wider than the window.
export async function watch(page: Page) {
  const wrong: string[] = [];
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(base)) wrong.push(`asked ${request.url()}`);
  });
  return wrong;
}

export async function fits(page: Page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
}

export async function accessible(page: Page) {
  const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
  expect(found.violations.map((v) => `${page.url()} ${v.id}: ${v.nodes.map((n) => n.target).join(', ')}`)).toEqual([]);
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
