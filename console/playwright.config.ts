import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '../scripts/src/find-browser.ts'

const executablePath = findBrowser()
// Set by the global setup; workers read this file again.
const baseURL = process.env.CONSOLE_URL ?? ''
const isolated = {
  baseURL,
  launchOptions: executablePath ? { executablePath } : {},
}

/** What they test has nothing to do with the width. */
const WIDE_ONLY =
  '**/{csv,session,unsent-forms,clients-switch,docs,routes-docs,one-time-secret,serving,budget}.spec.ts'

// All other files hold at both widths; a test that names one width says so by its tag. `@wide` is
// also for tests of calls, values, times and wording, where nothing depends on the width and other
// tests of the file use the same controls at 360 px.
export default defineConfig({
  testDir: './e2e',
  outputDir: '../test-results',
  globalSetup: './e2e/support/build-and-serve.ts',
  fullyParallel: true,
  // Two cores are kept busy by five: half of a test is waiting until the next look at its page.
  workers: 5,
  forbidOnly: true,
  // Upper bounds for a busy machine; nothing waits for them to pass.
  timeout: 40_000,
  expect: { timeout: 15_000 },
  reporter: [['dot']],
  use: {
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...isolated,
  },
  projects: [
    {
      name: 'wide',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 }, ...isolated },
      grepInvert: /@narrow/,
    },
    {
      name: 'narrow',
      testIgnore: WIDE_ONLY,
      use: { ...devices['Desktop Chrome'], viewport: { width: 360, height: 740 }, ...isolated },
      grepInvert: /@wide/,
    },
    {
      name: 'journeys',
      testDir: './e2e/journeys',
      testMatch: '*.journey.ts',
      // A whole day's work each, five of them at a time.
      timeout: 100_000,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 }, ...isolated },
    },
  ],
})
