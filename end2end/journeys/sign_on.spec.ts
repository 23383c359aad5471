// Single sign-on: a pasted link leads through the issuer and back to itself, with and without scripts.
import { expect, test, type Browser, type Page } from '@playwright/test';
import { Issuer, LABEL } from './issuer';
import { Office } from './office';
import { soundly } from './people';

const LINK = '/operations/op_pasted?message=none';
let issuer: Issuer;
let office: Office;
test.beforeAll(async () => {
  issuer = await Issuer.start();
  office = await Office.open(issuer.sections, issuer.files);
  office.person('vera', 'admin');
  await office.readyToSend('op_pasted');
});
test.afterAll(async () => {
  await office.close();
  await issuer.close();
});
test.beforeEach(() => { issuer.ways = {}; });

/** Somebody who was sent the link, before the sign-in page; and what went wrong meanwhile. */
async function arrives(browser: Browser, javaScriptEnabled: boolean): Promise<[Page, string[]]> {
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
  const wrong: string[] = [];
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (origin !== office.base && origin !== issuer.url) wrong.push(`asked ${request.url()}`);
  });
  await page.goto(office.base + LINK);
  await expect(page).toHaveURL(`${office.base}/login?next=${encodeURIComponent(LINK)}`);
  return [page, wrong];
}

/** Goes to the issuer's own page, and answers there. */
async function answers(page: Page, answer: 'Continue' | 'Cancel') {
  await page.getByRole('link', { name: `Sign in with ${LABEL}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(LABEL);
  expect(new URL(page.url()).origin).toBe(issuer.url);
  await page.getByRole('link', { name: answer }).click();
}

async function sessions(page: Page): Promise<string[]> {
  return (await page.context().cookies()).map((cookie) => cookie.name).filter((name) => name.includes('session'));
}

async function isSignedOut(page: Page) {
  expect(await sessions(page)).toEqual([]);
  const answer = await page.request.get(office.base + LINK, { maxRedirects: 0 });
  expect([answer.status(), answer.headers().location]).toEqual([303, `/login?next=${encodeURIComponent(LINK)}`]);
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts';

  test(`a pasted link leads through the issuer and back, ${how}`, async ({ browser }) => {
    const [page, wrong] = await arrives(browser, javaScriptEnabled);
    await answers(page, 'Continue');
    await expect(page).toHaveURL(office.base + LINK);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('op_pasted');
    await expect(page.locator('.who [data-role="approver"]')).toBeVisible();
    // The page says who signs them in, and offers nothing that they do not have.
    await page.locator('.who [data-role]').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('What you may do');
    await expect(page.locator('main')).toContainText(`${LABEL} signs you in. There is no password of yours here`);
    await expect(page.locator('input[type="password"]')).toHaveCount(0);
    if (javaScriptEnabled) await soundly(page);

    // Out, and the link asks again.
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect(page).toHaveURL(`${office.base}/login`);
    await isSignedOut(page);

    // Other groups are another role from the next sign-in on.
    issuer.ways = { claims: { groups: ['staff', 'choir'] } };
    await page.goto(office.base + LINK);
    await answers(page, 'Continue');
    await expect(page).toHaveURL(office.base + LINK);
    await expect(page.locator('.who [data-role="viewer"]')).toBeVisible();
    expect(wrong).toEqual([]);
    await page.context().close();
  });

  test(`whoever is not let in reads why, has no session, and keeps the way back, ${how}`, async ({ browser }) => {
    const [page, wrong] = await arrives(browser, javaScriptEnabled);
    const reads = async (code: string, words: string) => {
      const alert = page.locator(`[role="alert"][data-code="${code}"]`);
      await expect(alert).toContainText(words);
      expect(new URL(page.url()).pathname).toBe('/login');
      await isSignedOut(page);
      if (javaScriptEnabled) await soundly(page);
    };
    // They say no themselves, and nothing is exchanged.
    const exchanged = issuer.exchanged;
    await answers(page, 'Cancel');
    await reads('sign_in_refused', 'You were not let in.');
    expect(issuer.exchanged).toBe(exchanged);
    // A token that was made for another sign-in.
    issuer.ways = { nonce: 'of another sign-in' };
    await answers(page, 'Continue');
    await reads('sign_in_refused', 'did not confirm who you are');
    expect(issuer.exchanged).toBe(exchanged + 1);
    // Known there, and nobody here.
    issuer.ways = { claims: { sub: 'guest', groups: ['guests'] } };
    await answers(page, 'Continue');
    await reads('role_required', 'You have no role here.');
    // One letter of the name only looks Latin.
    issuer.ways = { claims: { sub: 'other', preferred_username: 'v\u0435ra' } };
    await answers(page, 'Continue');
    await reads('name_looks_alike', 'Your name looks like another one here.');
    // In the end it is them, and they are where they wanted to be.
    issuer.ways = {};
    await answers(page, 'Continue');
    await expect(page).toHaveURL(office.base + LINK);
    await expect(page.locator('.who [data-caller="ada"]')).toBeVisible();
    expect(wrong).toEqual([]);
    await page.context().close();
  });
}
