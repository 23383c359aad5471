// Wide screens: a second column for what comes later, in the same order; and the page's age, always in one place.
import { expect, test, type Page } from '@playwright/test';
import { accessible, base, fits, operationWith, signIn } from './people';
import { api, fresh } from './changes';

async function box(page: Page, selector: string) {
  return (await page.locator(selector).first().boundingBox())!;
}

/** All that can be focused in the page, in the order of the Tab key. */
function order(page: Page) {
  return page.evaluate(() => [...document.querySelectorAll('main :is(a[href], button, summary, textarea, input:not([type=hidden]))')]
    .map((one) => one.textContent || one.getAttribute('name')));
}

test('what comes later stands beside what comes first, in the same order', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1599, height: 1000 } });
  const page = await context.newPage();
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  const message = await page.locator('tr[data-message]').first().getAttribute('data-message');
  await page.goto(`${base}/recoveries`);
  const recovery = await page.locator('tr[data-state] a.id').last().getAttribute('href');
  for (const [path, first, later] of [
    [operation, '.lanes-box', '#outputs'], [`/dead-letters/${message}`, '.meta', '.known'], [recovery!, '.meta', '.known'],
  ]) {
    await page.setViewportSize({ width: 1599, height: 1000 });
    await page.goto(`${base}${path}`);
    expect((await box(page, later)).y, `${path} below each other`).toBeGreaterThan((await box(page, first)).y + 20);
    const narrow = await order(page);
    await page.setViewportSize({ width: 1920, height: 1000 });
    const [one, other] = [await box(page, first), await box(page, later)];
    expect(other.x, `${path} beside each other`).toBeGreaterThanOrEqual(one.x + one.width);
    expect(Math.abs(other.y - one.y), `${path} begins at one height`).toBeLessThan(24);
    expect(await order(page)).toEqual(narrow);
    await fits(page);
    await accessible(page);
  }
  await context.close();
});

test('a page says its age in one place, whatever it is about', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1920, height: 1000 } });
  const page = await context.newPage();
  await signIn(page, 'approver');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  const paths = ['/dead-letters', '/operations', '/recoveries', '/queues', '/audit', '/providers', operation,
    operation.replace(/(\?|$)/, '/review$1'), `${operation.split('?')[0]}?at=1`];
  for (const width of [1920, 1280, 800]) {
    await page.setViewportSize({ width, height: 1000 });
    const places = new Set<string>();
    for (const path of paths) {
      await page.goto(`${base}${path}`);
      // The words beside it come with the connection, and move it: it is measured when they are there.
      await expect(page.locator('.live [data-state-words]')).toHaveText('Live.', { timeout: 30_000 });
      const { x, y, width: wide } = await box(page, '.live time');
      places.add(`${Math.round(x + wide)} ${Math.round(y)}`);
    }
    expect([...places], `${width} px`).toHaveLength(1);
  }
  await context.close();
});

test('twenty outputs that are alike are folded, and said as a range', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, 'viewer');
  const id = fresh();
  const listed = Array.from({ length: 20 }, (_, index) => ({ index, content_type: 'image/png' }));
  await api('PUT', id, {
    provider: 'genace', account: 'studio-main', owner: 'studio-north', specification: { id: 'spec_poster', revision: 4 },
    phase: 'succeeded', dispatch: 'sent', remote: { job_id: `gj_${id}`, fetch: 'ok', execution: 'succeeded', outputs: listed },
    outputs: [{ index: 19, state: 'failed', category: 'storage_write' }],
  });
  await page.goto(`${base}/operations/${id}`);
  await expect(page.locator('[data-summary]')).toContainText('Copies all 20 outputs of the finished job');
  await expect(page.locator('[data-summary] .m').first()).toHaveText(`gj_${id}`);
  await expect(page.locator('#outputs tr[data-output]:visible')).toHaveCount(1);
  await expect(page.locator('#outputs tr[data-output="19"]')).toContainText('storage_write');
  const fold = page.locator('#outputs details');
  await expect(fold.locator('summary')).toContainText('19 outputs are alike');
  await expect(fold.locator('summary')).toContainText('0 to 18, image/png, not copied, not tried');
  await fold.locator('summary').click();
  await expect(page.locator('#outputs tr[data-output]:visible')).toHaveCount(20);
  await page.context().close();
});

test('a dash alone takes no line where a table stacks', async ({ browser }) => {
  const page = await (await browser.newContext({ viewport: { width: 320, height: 900 } })).newPage();
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  for (const path of ['/dead-letters', '/operations', '/recoveries', '/audit', '/queues', operation]) {
    await page.goto(`${base}${path}`);
    const dashes = await page.locator('main .ledger :is(td, small)').evaluateAll((all) => all.filter((one) =>
      one.textContent!.trim() === '—' && one.getBoundingClientRect().height > 2).length);
    expect(dashes, path).toBe(0);
  }
  await page.context().close();
});
