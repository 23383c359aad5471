// What people add around the records: hand-over, notes, history, preferences, saved views; each with and without scripts.
import { expect, test, type Page } from '@playwright/test';
import { accessible, base, fits, operationWith, signIn, watch } from './people';

// The demo is shared: what a journey makes bears a name of its own.
const own = () => `${test.info().title.length}-${Date.now().toString(36)}`;

async function leaveNothing(page: Page, operation: string) {
  await page.goto(`${base}${operation}`);
  const release = page.getByRole('button', { name: 'Release it' });
  if (await release.count()) await release.click();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`an operator claims, writes a note, and hands over to an approver, ${how}`, async ({ browser }) => {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const wrong = await watch(page);
    await signIn(page, 'operator');
    const operation = await operationWith(page, 'label=local_delivery_failure');
    await leaveNothing(page, operation);
    await page.getByRole('button', { name: /Claim it|Take over/ }).click();
    await expect(page.locator('.claim')).toContainText('Claimed by you');
    const text = `the volume has room again <b>${own()}</b>`;
    await page.getByLabel(/A note for whoever/).fill(text);
    await page.getByRole('button', { name: 'Write the note' }).click();
    await expect(page.locator('.notes')).toContainText(text);
    await expect(page.locator('#timeline tr[data-event="note"]').first()).toContainText(text);
    // The checker is a script itself.
    if (javaScriptEnabled) await accessible(page);

    const other = await (await browser.newContext({ javaScriptEnabled })).newPage();
    await signIn(other, 'approver');
    await other.goto(`${base}${operation}`);
    await expect(other.locator('.claim')).toContainText('Claimed by operator, since');
    await other.getByRole('button', { name: 'Take over from operator' }).click();
    await expect(other.locator('.claim')).toContainText('Claimed by you');
    await other.getByRole('button', { name: 'Release it' }).click();
    await expect(other.locator('.claim')).toContainText('Nobody has claimed this');
    await expect(other.locator('#timeline')).toContainText('claim taken over');
    expect(wrong).toEqual([]);
    await other.context().close();
    await page.context().close();
  });

  test(`an incident reader follows a pasted link through the history, ${how}`, async ({ browser }) => {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const wrong = await watch(page);
    await signIn(page, 'viewer');
    const operation = await operationWith(page, 'label=remote_render_failed');
    await page.context().clearCookies();
    await signIn(page, 'viewer', operation.split('?')[0]);
    await page.goto(`${base}${operation}`);
    const id = decodeURIComponent(operation.split('/')[2].split('?')[0]);
    await expect(page).toHaveTitle(`${id}: Remote render failed – Dead Letter Office`);
    const text = await page.locator('textarea#markdown').inputValue();
    expect(text).toContain(`${base}/operations/`);
    expect(text).toContain('Remote render failed');
    await page.getByRole('link', { name: 'what it was before' }).click();
    await expect(page.locator('[data-notice="history"]')).toContainText('This is history.');
    await expect(page.locator('main form')).toHaveCount(0);
    // A revision that only a message made has the same fields; the first has others.
    await page.goto(`${base}${operation.split('?')[0]}?at=1`);
    await expect(page.locator('[data-notice="history"]')).toContainText('This is history.');
    await expect(page.locator('tr[data-differs="true"]').first()).toBeVisible();
    // The checker is a script itself.
    if (javaScriptEnabled) await accessible(page);
    await fits(page);
    await page.getByRole('link', { name: /As it stands now/ }).click();
    await expect(page.getByRole('table', { name: /Our side and the remote render/ })).toBeVisible();
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  test(`an approver reads as they like, and shares a view, ${how}`, async ({ browser }) => {
    const page = await (await browser.newContext({ javaScriptEnabled, colorScheme: 'light' })).newPage();
    const wrong = await watch(page);
    await signIn(page, 'approver', '/preferences');
    await page.getByLabel('Dark').check();
    await page.getByLabel('Dense').check();
    await page.getByLabel('A zone by its name').check();
    await page.getByLabel('Name of the zone').fill('Asia/Kolkata');
    await page.getByRole('button', { name: 'Save the preferences' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(paper).toBe('rgb(18, 22, 28)');
    // The checker is a script itself.
    if (javaScriptEnabled) await accessible(page);
    await page.goto(`${base}/dead-letters?label=local_delivery_failure`);
    await expect(page.locator('.strip')).toContainText('IST');
    await expect(page.locator('main time').first()).toHaveAttribute('title', /IST, \d\d:\d\d:\d\d UTC$/);

    const name = `night ${own()}`;
    await page.getByText('Save or delete a view').click();
    await page.getByLabel('Name for these filters').fill(name);
    await page.getByLabel('Share it with everybody').check();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await expect(page.locator('[data-notice="done"]')).toContainText('The view is saved');
    await page.goto(`${base}/dead-letters`);
    await page.getByRole('link', { name }).click();
    await expect(page).toHaveURL(/label=local_delivery_failure/);
    await page.getByText('Save or delete a view').click();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await expect(page.locator('[data-notice="done"]')).toContainText('The view is deleted');

    await page.goto(`${base}/preferences`);
    await page.getByLabel('As the system says').check();
    await page.getByLabel('Calm').check();
    await page.getByLabel('UTC', { exact: false }).first().check();
    await page.getByRole('button', { name: 'Save the preferences' }).click();
    await expect(page.locator('html')).toHaveAttribute('data-zone', 'UTC');
    expect(wrong).toEqual([]);
    await page.context().close();
  });
}

test('what no dead letter shows is one click away, and copies come from us alone', async ({ page }) => {
  const wrong = await watch(page);
  await signIn(page, 'viewer');
  await page.goto(`${base}/operations`);
  await page.getByRole('link', { name: 'no message of it ever died' }).click();
  await expect(page).toHaveURL(/unseen=never_died/);
  await accessible(page);
  await page.goto(`${base}/operations?phase=delivered`);
  const delivered = await page.locator('tbody tr[data-operation] a.id').first().getAttribute('href');
  await page.goto(`${base}${delivered}`);
  const shown = page.locator('[data-preview] :is(img, video)').first();
  await expect(shown).toHaveAttribute('src', /^\/operations\/[^/]+\/outputs\/\d+(#t=0\.1)?$/);
  await accessible(page);
  expect(wrong).toEqual([]);
});

test('the desk and an operation can be printed', async ({ page }) => {
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  await page.emulateMedia({ media: 'print' });
  for (const path of ['/dead-letters', operation]) {
    await page.goto(`${base}${path}`);
    await expect(page.locator('.top nav')).toBeHidden();
    await expect(page.locator('main')).toBeVisible();
    expect(await page.locator('main form:visible').count(), path).toBe(0);
  }
  await expect(page.locator('[data-message] pre').first()).toBeVisible();
});
