// What changes elsewhere reaches an open page; what the reader does there is left alone.
import { expect, test, type Page } from '@playwright/test';
import { base, operationWith, signIn, watch } from './people';
import { api, bury, enqueue, fresh } from './changes';

const SOON = { timeout: 30_000 };

async function live(page: Page) {
  await expect(page.locator('[data-state-words="live"]').first()).toBeVisible(SOON);
}

test('an operation follows a report, and focus, folds and typing stay', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  const wrong = await watch(page);
  await signIn(page, 'operator');
  const id = fresh();
  const made = await api('PUT', id, {
    provider: 'genace', account: 'studio-main', owner: 'studio-north', specification: { id: 'spec_poster', revision: 4 },
    phase: 'submitting', dispatch: 'outcome_unknown',
  });
  await page.goto(`${base}/operations/${id}`);
  await live(page);
  await expect(page.locator('main')).toHaveAttribute('data-revision', String(made));

  // A fold that the reader opened, a focused control, and a text that is being written.
  const fold = page.locator('section.block > details').last();
  await fold.locator('summary').click();
  await expect(fold).toHaveAttribute('open', '');
  const form = page.locator('form[data-decision="close_unresolved"]');
  await form.evaluate((one) => one.closest('details')?.setAttribute('open', ''));
  const reason = form.locator('textarea[name="reason"]');
  await reason.fill('nobody knows, s');
  await reason.evaluate((one: HTMLTextAreaElement) => one.setSelectionRange(3, 6));
  const revision = await form.locator('input[name="revision"]').getAttribute('value');
  const scrolled = await page.evaluate(() => scrollY);

  const next = await api('PATCH', id, { error: { category: 'timeout', detail: 'the provider was silent' } }, made);
  await expect(page.locator('main')).toHaveAttribute('data-revision', String(next), SOON);
  await expect(fold).toHaveAttribute('open', '');
  await expect(reason).toBeFocused();
  await expect(reason).toHaveValue('nobody knows, s');
  expect(await reason.evaluate((one: HTMLTextAreaElement) => [one.selectionStart, one.selectionEnd])).toEqual([3, 6]);
  expect(await form.locator('input[name="revision"]').getAttribute('value'), 'the form is left as it was').toBe(revision);
  expect(Math.abs((await page.evaluate(() => scrollY)) - scrolled)).toBeLessThan(200);
  await expect(page.locator('[data-state-words]').first()).toContainText(/form being filled in/);
  // What was confirmed on the old plan is refused in words, and what was typed is kept.
  await page.keyboard.press('End');
  await page.keyboard.type('till unclear');
  await form.locator('button[type="submit"]').click();
  await expect(page.getByRole('alert')).toContainText(/plan changed/i);
  expect(wrong).toEqual([]);
  await page.context().close();
});

test('a selection is not disturbed', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, 'viewer');
  const id = fresh();
  const made = await api('PUT', id, {
    provider: 'genace', account: 'studio-main', owner: 'studio-north', specification: { id: 'spec_poster', revision: 4 },
    phase: 'prepared',
  });
  await page.goto(`${base}/operations/${id}`);
  await live(page);
  await page.locator('h1').evaluate((one) => getSelection()!.selectAllChildren(one));
  const next = await api('PATCH', id, { phase: 'submitting', dispatch: 'outcome_unknown' }, made);
  await expect(page.locator('[data-state-words]').first()).toContainText(/what is selected/, SOON);
  expect(await page.evaluate(() => String(getSelection()))).toBe(id);
  await expect(page.locator('main')).toHaveAttribute('data-revision', String(made));
  await page.evaluate(() => getSelection()!.removeAllRanges());
  await expect(page.locator('main')).toHaveAttribute('data-revision', String(next), SOON);
  await page.context().close();
});

test('the desk announces new rows and shows them when asked', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  const wrong = await watch(page);
  await signIn(page, 'viewer');
  await live(page);
  const rows = page.locator('tr[data-message]');
  const first = await rows.first().getAttribute('data-message');
  const total = Number(await page.locator('[data-total]').getAttribute('data-total'));
  await rows.nth(1).locator('a.id').focus();
  const ids = [await bury(), await bury()];
  await expect(page.locator('[data-news]')).toContainText('2 new', SOON);
  await expect(page.locator('[data-news]')).toHaveAttribute('role', 'status');
  expect(await rows.first().getAttribute('data-message'), 'nothing is pushed in').toBe(first);
  await expect(page.locator('[data-total]')).toHaveAttribute('data-total', String(total + 2));
  await expect(rows.nth(1).locator('a.id')).toBeFocused();
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.locator(`tr[data-message="${ids[0]}"]`)).toBeVisible();
  await expect(page.locator(`tr[data-message="${ids[1]}"]`)).toBeVisible();
  await expect(page.locator('[data-news]')).toBeEmpty();
  expect(wrong).toEqual([]);
  await page.context().close();
});

test('a recovery is followed to its end, which is said in words', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, 'operator');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  await page.goto(`${base}${operation}`);
  await page.getByRole('link', { name: /observe/i }).first().click();
  await page.getByLabel(/Reason/).fill('is it still there?');
  await page.locator('form[data-action="observe"] button[type="submit"]').click();
  await expect(page).toHaveURL(/\/recoveries\//);
  // Nobody loads it again.
  await expect(page.locator('main')).toHaveAttribute('data-state', /succeeded|already_done|failed/, SOON);
  await expect(page.locator('main')).toContainText(/asked to observe/);
  await expect(page.locator('[data-outcome]')).not.toContainText('Not ended yet');
  await expect(page.locator('main')).toContainText(/Revision \d+ of the record|stands as it did/);
  await page.context().close();
});

test('a review is told that its plan has changed, and is not moved', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, 'operator');
  const id = fresh();
  const made = await api('PUT', id, {
    provider: 'genace', account: 'studio-main', owner: 'studio-north', specification: { id: 'spec_poster', revision: 4 },
    phase: 'accepted', dispatch: 'sent', remote: { job_id: `gj_${id}` },
  });
  await page.goto(`${base}/operations/${id}/review`);
  await live(page);
  await page.getByLabel(/Reason/).fill('the morning round');
  await api('PATCH', id, { remote: { execution: 'failed', fetch: 'ok' } }, made);
  await expect(page.locator('[data-news]')).toContainText(/has changed since you opened it/, SOON);
  await expect(page.locator('main')).toHaveAttribute('data-revision', String(made));
  await expect(page.getByLabel(/Reason/)).toHaveValue('the morning round');
  await page.context().close();
});

test('the question before a purge is told what happens to its message, and is not moved', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, 'approver');
  const id = await bury();
  await page.goto(`${base}/dead-letters/${id}/purge`);
  await live(page);
  await page.getByLabel(/Reason/).fill('a duplicate of the nig');
  const other = await (await browser.newContext()).newPage();
  await signIn(other, 'approver');
  const order = async (path: string, form: string, more: () => Promise<void> = async () => {}) => {
    await other.goto(`${base}${path}`);
    const fields = other.locator(`form[data-action="${form}"]`);
    await fields.evaluate((one) => one.closest('details')?.setAttribute('open', ''));
    await fields.getByLabel(/Reason/).fill('dealt with elsewhere');
    await more();
    await fields.locator('button[type="submit"]').click();
    await expect(other.getByText(/dealt with|acknowledged|purged|deleted/i).first()).toBeVisible();
  };
  await order(`/dead-letters/${id}`, 'acknowledge');
  await expect(page.locator('[data-news]')).toContainText(/has changed since you opened it/, SOON);
  await expect(page.getByLabel(/Reason/)).toHaveValue('a duplicate of the nig');
  await order(`/dead-letters/${id}/purge`, 'purge', () => other.getByLabel(/to confirm/).fill(id));
  await expect(page.locator('[data-state-words="stale"]')).toContainText(/it is gone/, SOON);
  await expect(page.getByLabel(/Reason/)).toHaveValue('a duplicate of the nig');
  for (const one of [page, other]) await one.context().close();
});

test('a connection that is lost is said, and found again', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, 'viewer');
  await live(page);
  await page.route('**/events?**', (route) => route.abort());
  // Hidden and shown again, as a laptop that is opened: the page asks anew.
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  await page.evaluate(() => dispatchEvent(new Event('pageshow')));
  await expect(page.locator('[data-state-words="lost"]').first()).toContainText(/Disconnected; this is the state of/, SOON);
  const id = await bury();
  await page.unroute('**/events?**');
  await live(page);
  await expect(page.locator('[data-news]')).toContainText('1 new', SOON);
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.locator(`tr[data-message="${id}"]`)).toBeVisible();
  await context.close();
});

test('a page that cannot be read again is stale, in words, until it can', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, 'viewer');
  await live(page);
  const here = `${base}/dead-letters`;
  await page.route(here, (route) => route.abort());
  const id = await bury();
  const words = page.locator('[data-state-words="stale"]').first();
  await expect(words).toHaveText(/^Stale since \d\d:\d\d:\d\d UTC: it could not be read again\.$/, SOON);
  await expect(words).toHaveAttribute('role', 'status');
  await page.unroute(here);
  await live(page);
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.locator(`tr[data-message="${id}"]`)).toBeVisible();
  await context.close();
});

test('the queues follow what moves, which nobody announces', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  const wrong = await watch(page);
  await signIn(page, 'viewer', '/queues');
  await live(page);
  const queue = fresh();
  enqueue(queue);
  const row = page.locator(`tr[data-queue="${queue}"]`);
  await expect(row.locator('[data-l="Queued"]')).toHaveText('1', SOON);
  enqueue(queue);
  await expect(row.locator('[data-l="Queued"]')).toHaveText('2', SOON);
  expect(wrong).toEqual([]);
  await page.context().close();
});

test('without a script the page is whole and makes no promise', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await signIn(page, 'viewer');
  await expect(page.locator('tr[data-message]').first()).toBeVisible();
  await expect(page.locator('[data-news]')).toBeEmpty();
  await expect(page.locator('body')).not.toContainText('Live.');
  await expect(page.getByText(/^Updated \d\d:\d\d:\d\d/).first()).toBeVisible();
  for (const hidden of ['[data-copy]', '[data-keys]']) {
    for (const one of await page.locator(hidden).all()) await expect(one).toBeHidden();
  }
  // The chart's table leads to an hour.
  await page.locator('.chart summary').click();
  const hour = page.locator('.chart tr[data-hour]').first();
  const claimed = Number((await hour.locator('td').first().textContent())!.replace(/\D/g, ''));
  await hour.locator('a').click();
  await expect(page.locator('[data-total]')).toHaveAttribute('data-total', String(claimed));
  await context.close();
});
