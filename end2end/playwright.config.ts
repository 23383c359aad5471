// Browser journeys against `dlo demo`: the real program, its own provider, its own database.
import { defineConfig } from '@playwright/test';

// Two lines of journeys run at once. Those that change the demo, or count in it, come one after the other. The others have
// an office of their own and mostly wait, or look at the demo's pages and do not mind what is added meanwhile.
const OTHERS = /\/(alone|approval|outage|pages|pictures|sign_on)\.spec\.ts$/;

export default defineConfig({
  testDir: './journeys',
  globalSetup: './demo.ts',
  outputDir: './test-results',
  timeout: 240_000,
  workers: 2,
  projects: [
    { name: 'others', testMatch: OTHERS, workers: 1 },
    { name: 'demo', testIgnore: OTHERS, workers: 1 },
  ],
  retries: 0,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-GB',
    timezoneId: 'UTC',
    launchOptions: {
      executablePath: process.env.DLO_BROWSER || '/usr/bin/chromium',
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    },
  },
});
