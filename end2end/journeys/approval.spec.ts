// Two people for a creation: one asks, another reads it at a link of its own and says yes; with and without scripts.
import { expect, test } from '@playwright/test';
import { Office } from './office';
import { watch } from './people';

let office: Office;
test.beforeAll(async () => {
  office = await Office.open();
  office.person('ada', 'approver');
  office.person('bob', 'approver');
  office.person('cid', 'operator');
});
test.afterAll(() => office.close());

test('whoever reads the approval is told that the record moved, and is not moved', async ({ browser }) => {
  const asking = await (await browser.newContext()).newPage();
  const operation = 'op_moves';
  await office.readyToSend(operation);
  await office.signIn(asking, 'ada');
  const recovery = await office.confirm(asking, operation);
  const second = await (await browser.newContext()).newPage();
  await office.signIn(second, 'bob', `${recovery}/approve`);
  await expect(second.locator('[data-state-words="live"]')).toBeVisible({ timeout: 30_000 });
  await second.getByLabel(/Reason/).fill('I looked at the prov');
  await office.patch(`operations/${operation}`, { error: { category: 'timeout', detail: 'it was silent' } }, 1);
  await expect(second.locator('[data-news]')).toContainText(/has changed since you opened it/, { timeout: 30_000 });
  await expect(second.getByLabel(/Reason/)).toHaveValue('I looked at the prov');
  await second.getByRole('button', { name: 'Show' }).click();
  await expect(second.locator('main')).toContainText(/The record has changed since|does not wait for approval any more/);
  for (const page of [asking, second]) await page.context().close();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`a second person approves at the link that they were sent, ${how}`, async ({ browser }) => {
    const asking = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const operation = `op_two_${javaScriptEnabled}`;
    await office.readyToSend(operation);
    await office.signIn(asking, 'ada');
    const recovery = await office.confirm(asking, operation);
    await expect(asking.locator('main')).toHaveAttribute('data-state', 'awaiting_approval');
    await asking.getByRole('link', { name: 'read it and decide' }).click();
    await expect(asking.getByRole('button', { name: /another person must approve/ })).toBeDisabled();

    // Signed out, the link leads back to itself.
    const second = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const wrong = await watch(second, office.base);
    const link = new URL(asking.url()).pathname;
    await second.goto(`${office.base}${link}`);
    await expect(second).toHaveURL(/\/login\?next=/);
    await office.signIn(second, 'bob', new URL(second.url()).searchParams.get('next')!);
    await expect(second).toHaveURL(`${office.base}${link}`);
    await expect(second.getByRole('heading', { level: 1 })).toHaveText(`Approve a new generation for ${operation}?`);
    await expect(second.getByText('Estimated cost 12 credits. This cannot be undone.')).toBeVisible();
    await expect(second.getByText('nothing was ever sent')).toBeVisible();
    // The grave thing is not what Enter does.
    await expect(second.getByRole('link', { name: 'Not now' }).first()).toBeFocused();
    await second.getByLabel(/Reason/).fill('I looked at the provider too');
    await second.getByRole('button', { name: `Approve creating ${operation}` }).click();
    await expect(second).toHaveURL(`${office.base}${recovery}?done=approved`);
    await expect(second.locator('main')).toHaveAttribute('data-state', 'requested');
    await expect(second.locator('main')).toContainText('approved by bob');
    expect(wrong).toEqual([]);

    // Whoever asked sees it too, and an operator may not have said yes.
    const third = await (await browser.newContext({ javaScriptEnabled })).newPage();
    await office.signIn(third, 'cid', link);
    await expect(third.locator('main')).toContainText('does not wait for approval any more');
    for (const page of [asking, second, third]) await page.context().close();
  });
}
