import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '../scripts/src/find-browser.ts'

const executablePath = findBrowser()
// Set by the global setup; workers read this file again.
const baseURL = process.env.CONSOLE_URL ?? ''
const isolated = {
  baseURL,
  launchOptions: executablePath ? { executablePath } : {},
}

// Files under e2e/checklist hold at both widths; a test that names one width says so by its tag.
export default defineConfig({
  testDir: './e2e',
  outputDir: '../test-results',
  globalSetup: './e2e/support/build-and-serve.ts',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  // A test that passes at its second try is named in the report: on a busy machine a browser can stall for seconds.
  retries: process.env.CI ? 1 : 0,
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
      use: { ...devices['Desktop Chrome'], viewport: { width: 360, height: 740 }, ...isolated },
      grepInvert: /@wide/,
    },
    {
      name: 'journeys',
      testDir: './e2e/journeys',
      testMatch: '*.journey.ts',
      timeout: 60_000,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 }, ...isolated },
    },
  ],
})
