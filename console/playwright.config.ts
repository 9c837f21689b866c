import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '../scripts/src/find-browser.ts'

const TEST_LANGUAGE = '**/test-language.spec.ts'
const executablePath = findBrowser()
// Set by the global setup; workers read this file again.
const baseURL = process.env.CONSOLE_URL ?? ''
const isolated = {
  baseURL,
  launchOptions: {
    ...(executablePath ? { executablePath } : {}),
    // Nothing is drawn by a GPU here: a process of its own costs a sixth of the CPU time.
    args: ['--in-process-gpu'],
  },
}

// A test runs at 1280 px. `@both` marks those that run at 360 px too: what is laid out, reached or
// operated another way there. `@narrow` marks those of narrow screens alone. Most checks by axe
// look at both widths in one test.
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
      // One worker runs all of it, so it begins first.
      name: 'test-language',
      testMatch: TEST_LANGUAGE,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 }, ...isolated },
    },
    {
      name: 'wide',
      testIgnore: TEST_LANGUAGE,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 }, ...isolated },
      grepInvert: /@narrow/,
    },
    {
      name: 'narrow',
      use: { ...devices['Desktop Chrome'], viewport: { width: 360, height: 740 }, ...isolated },
      grep: /@narrow|@both/,
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
