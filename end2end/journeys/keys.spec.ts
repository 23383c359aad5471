// Keys are extras: they do what the page offers anyway, they can be switched off, and never type over the reader.
import { expect, test } from '@playwright/test';
import { accessible, arrived, base, operationWith, signIn } from './people';

test('keys move, open, search and lead away', async ({ page }) => {
  await signIn(page, 'viewer');
  const links = page.locator('tr[data-message] a.id');
  await page.keyboard.press('j');
  await expect(links.nth(0)).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(links.nth(1)).toBeFocused();
  const href = await links.nth(1).getAttribute('href');
  await page.keyboard.press('o');
  await arrived(page, `${base}${href}`);
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await arrived(page, `${base}/audit`);
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await arrived(page, `${base}/dead-letters`);
  await page.keyboard.press('/');
  const search = page.locator('input[type=search]');
  await expect(search).toBeFocused();
  await page.keyboard.type('jok?');
  await expect(search).toHaveValue('jok?');
  await expect(page).toHaveURL(`${base}/dead-letters`);
});

test('the help is a dialog, and switches the keys off and on', async ({ page }) => {
  await signIn(page, 'viewer');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await expect(help).toBeVisible();
  await expect(help.getByRole('button', { name: 'Close' })).toBeFocused();
  await accessible(page);
  await help.getByRole('button', { name: 'Turn keys off' }).click();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await page.keyboard.press('j');
  await expect(page.locator('tr[data-message] a.id').first()).not.toBeFocused();
  await page.reload();
  await page.keyboard.press('?');
  await expect(help).toBeHidden();
  // The way back is on the page.
  await page.getByRole('button', { name: 'Keys', exact: true }).click();
  await help.getByRole('button', { name: 'Turn keys on' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expect(page.locator('tr[data-message] a.id').first()).toBeFocused();
  // What the page itself says wins.
  await page.evaluate(() => { document.documentElement.dataset.shortcuts = 'off'; });
  await page.keyboard.press('j');
  await expect(page.locator('tr[data-message] a.id').first()).toBeFocused();
});

test('an id is copied', async ({ browser }) => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await signIn(page, 'viewer');
  const operation = await operationWith(page, 'label=local_delivery_failure');
  await page.goto(`${base}${operation}`);
  const id = await page.locator('main').getAttribute('data-operation');
  await page.getByRole('button', { name: 'Copy id' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
  await expect(page.locator('#voice')).toHaveText('Copied');
  await context.close();
});

test('the skip link comes first and leads to the content', async ({ page }) => {
  await signIn(page, 'viewer');
  await page.goto(`${base}/dead-letters`);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#main$/);
});
