// The whole job, by people, with and without JavaScript.
import { expect, test } from '@playwright/test';
import { base, operationWith, readyToSend, signIn, watch } from './people';

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`an operator finds a failed delivery and reads its status, ${how}`, async ({ browser }) => {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const wrong = await watch(page);
    await signIn(page, 'operator');
    await page.getByRole('link', { name: /Local delivery failure/ }).first().click();
    await expect(page).toHaveURL(/label=local_delivery_failure/);
    const rows = page.locator('tbody tr[data-operation]');
    for (const label of await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-label')))) {
      expect(label).toBe('local_delivery_failure');
    }
    await rows.first().locator('a[href*="/operations/"]').first().click();
    await expect(page.getByRole('table', { name: /Our side and the remote render/ })).toBeVisible();
    await page.getByRole('link', { name: /observe/i }).first().click();
    await expect(page.locator('form[data-action="observe"]')).toBeVisible();
    await page.getByLabel(/Reason/).fill('the morning round');
    await page.locator('form[data-action="observe"] button[type="submit"]').click();
    await expect(page).toHaveURL(/\/recoveries\//);
    await expect(async () => {
      await page.reload();
      await expect(page.locator('main')).toContainText(/succeeded|already done|failed/i);
    }).toPass({ timeout: 20_000 });
    expect(wrong).toEqual([]);
  });

  test(`an approver confirms twice and one recovery results, ${how}`, async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled });
    const [first, second] = [await context.newPage(), await context.newPage()];
    await signIn(first, 'approver');
    const operation = await readyToSend(first);
    const review = operation.replace(/(\?|$)/, '/review$1');
    const id = decodeURIComponent(operation.split('/')[2].split('?')[0]);
    for (const page of [first, second]) {
      await page.goto(`${base}${review}`);
      await expect(page.locator('form[data-action="dispatch"]')).toBeVisible();
      await page.getByLabel(/Reason/).fill('nothing was ever sent');
    }
    // The wrong id is refused, and what was typed stays.
    await first.getByLabel(/to confirm/).fill('something else');
    await first.locator('form[data-action="dispatch"] button[type="submit"]').click();
    await expect(first.locator('main')).toContainText(/does not match/);
    await expect(first.getByLabel(/Reason/)).toHaveValue('nothing was ever sent');
    await first.getByLabel(/to confirm/).fill(id);
    await first.locator('form[data-action="dispatch"] button[type="submit"]').click();
    await expect(first).toHaveURL(/\/recoveries\//);
    await second.getByLabel(/to confirm/).fill(id);
    await second.locator('form[data-action="dispatch"] button[type="submit"]').click();
    await expect(second.locator('main')).toContainText(/moved on|still|active|begun/i);
    await expect(second).not.toHaveURL(/\/recoveries\//);
    await first.goto(`${base}${operation}`);
    await expect(first.locator('main')).toContainText(/attempt 1/);
    await expect(first.locator('main')).not.toContainText(/attempt 2/);
    await context.close();
  });
}

test('a viewer reads and cannot order', async ({ page }) => {
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'action=deliver');
  await page.goto(`${base}${operation.replace(/(\?|$)/, '/review$1')}`);
  await expect(page.locator('form button[type="submit"]').filter({ hasText: /Blocked|role/ })).toBeDisabled();
});

test('a pasted link leads back after signing in', async ({ page }) => {
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=remote_render_failed');
  await page.context().clearCookies();
  await page.goto(`${base}${operation}`);
  await expect(page).toHaveURL(/\/login\?/);
  const next = new URL(page.url()).searchParams.get('next')!;
  await signIn(page, 'viewer', next);
  await expect(page.locator('h1')).toBeVisible();
});

test('signing out ends the session', async ({ page }) => {
  await signIn(page, 'viewer');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto(`${base}/dead-letters`);
  await expect(page).toHaveURL(/\/login/);
});
