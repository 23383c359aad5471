// Times in the reader's zone: chosen by name on the server, or the browser's own by the script; UTC is always behind them.
import { expect, test, type Page } from '@playwright/test';
import { base, operationWith, signIn } from './people';

async function choose(page: Page, zone: RegExp) {
  await page.goto(`${base}/preferences`);
  await page.getByRole('radio', { name: zone }).check();
  await page.getByRole('button', { name: 'Save the preferences' }).click();
  await expect(page.locator('[data-notice="done"]')).toBeVisible();
}

/** Every time of the page: what is shown, what is behind it, and its form. */
const times = (page: Page) => page.locator('time').evaluateAll((all) => all.map((one) => ({
  at: (one as HTMLTimeElement).dateTime, words: one.textContent!, title: one.getAttribute('title')!,
  form: one.getAttribute('data-clock'),
})));

test('the browser’s own zone is written by the script, with UTC behind it', async ({ browser }) => {
  const context = await browser.newContext({ timezoneId: 'America/New_York' });
  const page = await context.newPage();
  const plain = await browser.newContext({ timezoneId: 'America/New_York', javaScriptEnabled: false });
  await signIn(page, 'approver');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  await choose(page, /This browser/);
  try {
    for (const path of ['/dead-letters', operation, '/audit', '/queues']) {
      await page.goto(`${base}${path}`);
      const all = await times(page);
      expect(all.length, path).toBeGreaterThan(0);
      for (const { at, words, title, form } of all) {
        const local = new Date(at).toLocaleString('sv', { timeZone: 'America/New_York' });
        const utc = new Date(at).toISOString().slice(11, 19);
        expect(title, path).toMatch(new RegExp(`^${local} \\S+, ${utc} UTC$`));
        if (form === 'moment' && /^\d\d:\d\d:\d\d$/.test(words)) expect(words).toBe(local.slice(11));
        if (form === 'zoned') expect(words.startsWith(local.slice(11)), words).toBe(true);
      }
    }
    await page.goto(`${base}/dead-letters`);
    await expect(page.locator('[data-zone-name]')).toHaveText('America/New_York');
    // A page that follows keeps to the zone.
    await expect(page.locator('[data-state-words="live"]').first()).toBeVisible({ timeout: 30_000 });
    await expect(page.locator('.strip time')).not.toContainText('UTC');

    // Without the script it is UTC, and says so.
    const silent = await plain.newPage();
    await signIn(silent, 'approver');
    await expect(silent.locator('[data-zone-name]')).toHaveText('UTC');
    await expect(silent.locator('.strip time')).toContainText('UTC');
    for (const { title } of await times(silent)) expect(title).toMatch(/ UTC$/);
  } finally {
    await choose(page, /^UTC/);
    await context.close();
    await plain.close();
  }
});

test('no time is shortened to a letter', async ({ page }) => {
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  for (const path of ['/dead-letters', operation, '/operations', '/recoveries', '/queues', '/audit']) {
    await page.goto(`${base}${path}`);
    for (const { words } of await times(page)) expect(words, path).not.toMatch(/\b\d+[mhdw]\b/);
    expect(await page.locator('main').innerText(), path).not.toMatch(/\b\d+[mhdw] ago\b/);
  }
});
