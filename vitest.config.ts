import { defineConfig } from 'vitest/config'

const MOCKS_A_MODULE = 'gateway/test/disk.test.ts'
/** What a test waits for may take long on a busy machine: nothing fails by that alone. */
const patient = {
  setupFiles: ['gateway/test/support/patient-waits.ts'],
  expect: { poll: { timeout: 10_000 } },
}
const integration = {
  ...patient,
  include: ['{gateway,scripts}/test/**/*.test.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
}

// Files of a project share a process and its loaded modules: loading them again for each took a third of the
// whole time. No module keeps anything from one test to the next; what a file replaces, it alone may see.
// Coverage is of what users run: the gateway and the catalogue. What a person starts by hand (scripts) is
// exercised as child processes, which coverage cannot see.
export default defineConfig({
  test: {
    // Most of the time goes by in waiting: for the pace, for time limits, for processes that start.
    maxWorkers: 3,
    coverage: {
      provider: 'v8',
      include: ['gateway/src/**/*.ts', 'schema/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/main.ts'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['{gateway,schema,scripts,console}/src/**/*.test.ts'],
          // Some wait for the pace: three seconds on free cores, more when others take them.
          testTimeout: 30_000,
          isolate: false,
        },
      },
      {
        test: {
          ...integration,
          name: 'integration',
          exclude: [MOCKS_A_MODULE],
          isolate: false,
        },
      },
      { test: { ...integration, name: 'integration-alone', include: [MOCKS_A_MODULE] } },
    ],
  },
})
