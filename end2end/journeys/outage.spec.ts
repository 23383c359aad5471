// The server fails, or falls silent: an open page says so in words, and comes back by itself.
import { expect, test, type Page } from '@playwright/test';
import { bury } from './changes';
import { Office } from './office';

const SOON = { timeout: 30_000 };
let office: Office;
test.beforeAll(async () => {
  office = await Office.open();
  office.person('vera', 'viewer');
});
test.afterAll(() => office.close());

const said = (page: Page, kind: string) => page.locator(`[data-state-words="${kind}"]`).first();

test('a server that fails is said, and found again when it is back', async ({ page }) => {
  await office.signIn(page, 'vera');
  await expect(said(page, 'live')).toHaveText('Live.', SOON);
  await office.fail();
  await expect(said(page, 'lost')).toHaveText(/^Disconnected; this is the state of \d\d:\d\d:\d\d UTC\.$/, SOON);
  // What was read stays readable.
  await expect(page.getByRole('heading', { name: 'No letter has ever died here' })).toBeVisible();
  await office.start();
  await expect(said(page, 'live')).toHaveText('Live.', SOON);
  const id = await bury(office.database);
  await expect(page.locator(`tr[data-message="${id}"]`).or(page.getByRole('button', { name: 'Show' }))).toBeVisible(SOON);
});

test('a server that says nothing makes the page stale, which is said with the time', async ({ page }) => {
  await office.signIn(page, 'vera');
  await expect(said(page, 'live')).toHaveText('Live.', SOON);
  office.halt();
  try {
    const words = /^Stale since \d\d:\d\d:\d\d UTC: the server says nothing\.$/;
    await expect(said(page, 'stale')).toHaveText(words, { timeout: 90_000 });
    await expect(said(page, 'stale')).toHaveCSS('font-weight', '650');
  } finally {
    office.goOn();
  }
  await expect(said(page, 'live')).toHaveText('Live.', SOON);
});
