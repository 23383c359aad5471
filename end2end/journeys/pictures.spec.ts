// The README's pictures, made from the demo: `DLO_PICTURES=1 npx playwright test pictures`.
import { resolve } from 'node:path';
import { test } from '@playwright/test';
import { base, operationWith, signIn } from './people';

const folder = resolve(__dirname, process.env.DLO_PICTURES ? '../pictures' : '../test-results/pictures');

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 320]) {
    test(`pictures, ${theme}, ${width} px`, async ({ browser }) => {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 1000 } });
      const page = await context.newPage();
      const take = async (name: string, path: string) => {
        await page.goto(`${base}${path}`);
        // Copies below the fold are loaded when they are reached: here at once.
        await page.evaluate(() => Promise.all([...document.querySelectorAll('img')].map((one) => {
          one.loading = 'eager';
          return one.decode().catch(() => undefined);
        })));
        await page.screenshot({ path: resolve(folder, `${name}-${width}-${theme}.png`), fullPage: true });
      };
      await take('login', '/login');
      await signIn(page, 'approver');
      const delivery = await operationWith(page, 'label=local_delivery_failure');
      const creation = await operationWith(page, 'action=dispatch');
      const message = await page.locator('tr[data-message]').first().getAttribute('data-message');
      await take('desk', '/dead-letters');
      await take('operation', delivery);
      await take('review', creation.replace(/(\?|$)/, '/review$1'));
      await take('review-read', delivery.replace(/(\?|$)/, '/review$1'));
      await take('message', `/dead-letters/${message}`);
      await take('operations', '/operations');
      await take('recoveries', '/recoveries');
      const recovery = await page.locator('tr[data-state] a.id').last().getAttribute('href');
      await take('recovery', recovery!);
      await take('history', `${delivery.split('?')[0]}?at=1`);
      await take('providers', '/providers');
      await take('preferences', '/preferences');
      await take('permissions', '/permissions');
      await take('queues', '/queues');
      await take('audit', '/audit');
      await context.close();
    });
  }
}
