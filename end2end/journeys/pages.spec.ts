// Every page, in both themes and two widths, and wide where its layout changes: readable, accessible, with our one script
// and without other hosts.
import { expect, test } from '@playwright/test';
import { LOOKS, base, pages, signIn, spreads, watch, whole } from './people';

test.setTimeout(600_000);

for (const { theme, width } of LOOKS) {
  test(`every page, ${theme}, ${width} px`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const wrong = await watch(page);
    await whole(page, `${base}/login`);
    await signIn(page, 'inspector');
    let beside = 0;
    for (const path of await pages(page)) {
      await whole(page, `${base}${path}`);
      if (width === 1280 && await spreads(page)) beside += 1;
    }
    // A message, four operations and the history of one, a recovery, the queues.
    if (width === 1280) expect(beside, 'pages with a second column').toBe(8);
    for (const path of ['/operations/nobody-has-this', '/no-such-page']) await whole(page, `${base}${path}`, 404);
    await whole(page, `${base}/dead-letters?label=nonsense`, 400);
    // A browser itself writes a line for each of these answers.
    expect(wrong.filter((line) => !/\b(404|400)\b/.test(line))).toEqual([]);
    await context.close();
  });
}
