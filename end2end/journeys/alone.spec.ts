// The pages that the demo does not have: of an empty office, of a second person, of what cannot be read.
import { expect, test } from '@playwright/test';
import { bury } from './changes';
import { Office } from './office';
import { LOOKS, soundly, watch, whole } from './people';

test.setTimeout(600_000);

test('the pages that the demo does not have, in every look', async ({ browser }) => {
  const office = await Office.open();
  try {
    const opened = async (look: (typeof LOOKS)[number]) => {
      const context = await browser.newContext({ colorScheme: look.theme, viewport: { width: look.width, height: 900 } });
      const page = await context.newPage();
      return { page, wrong: await watch(page, office.base), done: () => context.close() };
    };
    expect(office.setUp).toMatch(/^\/setup\?link=/);
    for (const look of LOOKS) {
      const { page, wrong, done } = await opened(look);
      await whole(page, `${office.base}${office.setUp}`);
      expect(wrong).toEqual([]);
      await done();
    }
    office.person('ada', 'approver');
    office.person('bob', 'approver');
    const operation = 'op_waits for/a second person';
    await office.readyToSend(operation);
    const broken = await bury(office.database, 'yesterday');
    let recovery = '';
    for (const look of LOOKS) {
      const { page, wrong, done } = await opened(look);
      await page.goto(`${office.base}/login`);
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Password').fill('not this one');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alert')).toContainText('That did not match.');
      await soundly(page);
      await office.signIn(page, 'ada');
      recovery ||= await office.confirm(page, operation);
      await page.context().clearCookies();
      await office.signIn(page, 'bob');
      await whole(page, `${office.base}${recovery}`);
      await whole(page, `${office.base}${recovery}/approve`);
      await whole(page, `${office.base}/operations/${encodeURIComponent(operation)}`);
      await whole(page, `${office.base}/dead-letters/${broken}`);
      await expect(page.locator('main')).toContainText('This dead letter cannot be read.');
      await whole(page, `${office.base}/dead-letters`);
      await expect(page.locator('tr[data-inconsistent]')).toHaveCount(1);
      expect(wrong).toEqual([]);
      await done();
    }
  } finally {
    await office.close();
  }
});
