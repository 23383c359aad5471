// Every page, in both themes and two widths: readable, accessible, with our one script and without other hosts.
import { expect, test } from '@playwright/test';
import { accessible, base, fits, operationWith, signIn, watch } from './people';

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 320]) {
    test(`every page, ${theme}, ${width} px`, async ({ browser }) => {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const wrong = await watch(page);
      await page.goto(`${base}/login`);
      await accessible(page);
      await fits(page);
      await signIn(page, 'approver');
      const delivery = await operationWith(page, 'label=local_delivery_failure');
      const creation = await operationWith(page, 'action=dispatch');
      const message = await page.locator('tr[data-message]').first().getAttribute('data-message');
      await page.goto(`${base}/recoveries`);
      const recovery = await page.locator('a[href^="/recoveries/"]').first().getAttribute('href');
      const paths = [
        '/dead-letters', '/dead-letters?label=remote_render_failed', '/dead-letters?group=category',
        '/dead-letters?sort=oldest&age=30d&limit=5', '/dead-letters?q=nothing-is-called-so',
        `/dead-letters/${message}`, `/dead-letters/${message}/purge`, '/operations', delivery, creation,
        delivery.replace(/(\?|$)/, '/review$1'), creation.replace(/(\?|$)/, '/review$1'),
        '/recoveries', recovery!, '/queues', '/audit',
      ];
      for (const path of paths) {
        const answer = await page.goto(`${base}${path}`);
        expect(answer!.status(), path).toBe(200);
        await expect(page.locator('h1')).toHaveCount(1);
        expect(await page.locator('script').count(), `${path} has one script`).toBe(1);
        expect(await page.locator('script[src^="/assets/app."]').count(), `${path} has ours`).toBe(1);
        for (const fold of await page.locator('.chart summary').all()) await fold.click();
        expect(await page.locator('[style]').count(), `${path} has an inline style`).toBe(0);
        await fits(page);
        await accessible(page);
      }
      const missing = await page.goto(`${base}/operations/nobody-has-this`);
      expect(missing!.status()).toBe(404);
      await accessible(page);
      expect(wrong.filter((line) => !line.includes('404'))).toEqual([]);
      await context.close();
    });
  }
}
