// The desk finds: every count leads to its rows, everything chosen is in the address and can be taken back, one by one.
import { expect, test, type Page } from '@playwright/test';
import { base, signIn, watch } from './people';

const number = (text: string | null) => Number((text ?? '').replace(/\D/g, ''));
const total = async (page: Page) => Number(await page.locator('[data-total]').getAttribute('data-total'));

/** Follows the pages of the list to its end, and counts the rows. */
async function rows(page: Page): Promise<number> {
  let found = await page.locator('tbody tr[data-message]').count();
  for (const next = page.locator('a[rel="next"]'); await next.count();) {
    await next.click();
    found += await page.locator('tbody tr[data-message]').count();
  }
  return found;
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`every count of the rail and the groups leads to exactly its rows, ${how}`, async ({ browser }) => {
    const page = await (await browser.newContext({ javaScriptEnabled, viewport: { width: 1280, height: 900 } })).newPage();
    const wrong = await watch(page);
    await signIn(page, 'viewer');
    for (const under of ['/dead-letters', '/dead-letters?queue=render']) {
      await page.goto(`${base}${under}`);
      const labels = page.locator('[data-rail-label]');
      const words = await labels.locator('span:not(.n)').allTextContents();
      expect(words).toEqual(['Not submitted', 'Submission rejected', 'Submission outcome unknown', 'Render still in progress',
        'Remote state unclear', 'Remote render failed', 'Local delivery failure', 'Already delivered', 'Closed', 'No operation record']);
      const claims = await labels.evaluateAll((all) => all.map((one) => ({
        href: one.getAttribute('href')!, words: one.querySelector('.n')!.textContent,
      })));
      for (const { href, words: said } of claims) {
        await page.goto(`${base}${href}`);
        const matching = await total(page);
        expect(await rows(page), href).toBe(matching);
        expect(matching, href).toBe(number(said));
      }
    }
    await page.goto(`${base}/dead-letters?group=category`);
    const groups = await page.locator('tr[data-category]').evaluateAll((all) => all.map((one) => ({
      href: one.querySelector('a')!.getAttribute('href')!, count: Number(one.getAttribute('data-count')),
    })));
    expect(groups.length).toBeGreaterThan(3);
    for (const { href, count } of groups) {
      await page.goto(`${base}${href}`);
      expect(await rows(page), href).toBe(count);
    }
    for (const fact of ['recoveries', 'money', 'attempts']) {
      await page.goto(`${base}/dead-letters`);
      const said = number(await page.locator(`[data-fact="${fact}"] b`).first().textContent());
      await page.locator(`[data-fact="${fact}"] a`).click();
      expect(await page.locator('tbody tr').count(), fact).toBe(said);
      await expect(page.locator('a.chip')).toHaveCount(1);
    }
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  test(`a bar is an hour, and what is chosen is taken back chip by chip, ${how}`, async ({ browser }) => {
    const page = await (await browser.newContext({ javaScriptEnabled, viewport: { width: 1280, height: 900 } })).newPage();
    await signIn(page, 'viewer');
    const bar = page.locator('.bars a').last();
    const claimed = number((await bar.locator('title').textContent())!.split('UTC: ')[1].split(' dead')[0]);
    await bar.click();
    await expect(page).toHaveURL(/from=.*to=/);
    expect(await total(page)).toBe(claimed);
    await expect(page.locator('.bars a[data-chosen]')).toHaveCount(1);
    await page.getByRole('link', { name: /^Render still in progress/ }).click();
    await page.getByRole('link', { name: 'oldest first' }).click();
    await expect(page).toHaveTitle('Dead letters: Render still in progress – Dead Letter Office');
    await expect(page.getByRole('table', { name: 'Dead letters, oldest first' })).toBeVisible();
    await expect(page.locator('a.chip')).toHaveCount(3);
    for (const left of [2, 1, 0]) {
      await page.locator('a.chip').first().click();
      await expect(page.locator('a.chip')).toHaveCount(left);
      await expect(page).toHaveURL(/sort=oldest/);
    }
    // The way back from a row keeps what was chosen, and says it.
    await page.goto(`${base}/dead-letters?label=local_delivery_failure&sort=oldest`);
    await page.locator('tbody a.id').first().click();
    const back = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
    await expect(back).toHaveText('Dead letters: label Local delivery failure');
    await back.click();
    await expect(page).toHaveURL(/label=local_delivery_failure&sort=oldest$/);
    await page.context().close();
  });
}
