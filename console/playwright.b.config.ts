import base from './playwright.config.ts'

export default {
  ...base,
  globalSetup: './e2e/support/b-setup.ts',
  outputDir: '/tmp/b/results',
  workers: 2,
}
