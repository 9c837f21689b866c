import { defineConfig, devices } from '@playwright/test'
import { COMPILE_CACHE } from '../gateway/test/support/compile-cache.ts'
import { findBrowser } from '../scripts/src/provide-tools.ts'

const TEST_LANGUAGE = '**/test-language.spec.ts'
const WORKERS = Number(process.env.BROWSER_WORKERS ?? 4)
const executablePath = findBrowser()
// Of the workers: each project has its own.
Object.assign(process.env, COMPILE_CACHE)
// Set by the global setup; workers read this file again.
const baseURL = process.env.CONSOLE_URL ?? ''
const isolated = {
  baseURL,
  launchOptions: {
    ...(executablePath ? { executablePath } : {}),
    // Nothing is drawn by a GPU here: a process of its own costs a sixth of the CPU time. A page
    // lives for seconds, too short for the compilers that pay in the long run.
    args: ['--in-process-gpu', '--js-flags=--no-opt --no-maglev'],
  },
}

// A test runs at 1280 px. `@both` marks those that run at 360 px too: what is laid out, reached or
// operated another way there. `@narrow` marks those of narrow screens alone. Most checks by axe
// look at both widths in one test.
export default defineConfig({
  testDir: './e2e',
  outputDir: '../test-results',
  globalSetup: './e2e/support/build-and-serve.ts',
  // Node runs the sources as they are: to compile them first takes longer than many tests.
  build: { external: ['**'] },
  fullyParallel: true,
  // Two cores are kept busy by four: half of a test is waiting until the next look at its page.
  workers: WORKERS,
  forbidOnly: true,
  // Upper bounds for a busy machine; nothing waits for them to pass.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['dot']],
  use: {
    actionTimeout: 60_000,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...isolated,
  },
  projects: [
    {
      // Its tests are the longest, so they begin first.
      name: 'test-language',
      testMatch: TEST_LANGUAGE,
      use: {
        ...devices['Desktop Chrome'],
        viewport: { width: 1280, height: 800 },
        ...isolated,
        baseURL: process.env.TEST_LANGUAGE_URL ?? '',
      },
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
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 }, ...isolated },
    },
  ],
})
