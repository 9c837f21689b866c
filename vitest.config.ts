import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPILE_CACHE } from './gateway/test/support/compile-cache.ts'
import { TOOLS_FOLDER } from './gateway/test/support/tools-folder.ts'

process.env.PATH = `${process.env.PATH}:${TOOLS_FOLDER}/usr/bin`
// Of the processes of the tests, and of those and the threads that they start.
Object.assign(process.env, COMPILE_CACHE)

const MOCKS_A_MODULE = 'gateway/test/disk.test.ts'
/** Its leases are in real time, and its PostgreSQL has to answer within them. */
const HAS_REAL_LEASES = 'gateway/test/cluster-crash.test.ts'
/**
 * They mostly wait: begun first, they leave the cores to the browser tests, and none of them is left
 * alone at the end.
 */
const LONGEST = [
  ...[
    'crash',
    'crash-streams',
    'postgres-failover',
    'command-pace',
    'version-skew',
    'ha-proxy',
    'stop',
    'restart',
  ],
  ...['group-alerts', 'backup-to-restic', 'disk-reserve', 'restored-postgres', 'canaries', 'nodes'],
  ...['queue-order', 'live-pace', 'postgres-orders', 'stop-through-npm', 'event-loop', 'backup'],
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.endsWith(`/${name}.test.ts`))
    const others = files.filter((file) => !isLong(file))
    return [...files.filter(isLong), ...(await super.sort(others))]
  }
}

/** Upper bounds for a busy machine; nothing waits for them to pass. */
const bounds = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
}
/** Of each project, since projects take nothing from the configuration around them. */
const shared = { ...bounds, setupFiles: ['gateway/test/support/fast-check-seed.ts'] }
const integration = { include: ['{gateway,scripts}/test/**/*.test.ts'], ...shared }

// Files of a project share a process and its loaded modules: loading them again for each took a
// third of the whole time. No module keeps anything from one test to the next; what a file
// replaces, it alone may see. Coverage is of what users run: the gateway and the catalogue. What a
// person starts by hand (scripts) is exercised as child processes, which coverage cannot see.
export default defineConfig({
  test: {
    // Most of the time goes by in waiting: for the pace, for time limits, for processes that start.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['gateway/test/support/postgres-setup.ts'],
    coverage: {
      provider: 'v8',
      include: ['gateway/src/**/*.ts', 'schema/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/main.ts'],
      reporter: ['text-summary', 'html'],
      // Instrumented code is slow: tests that measure time fail in it.
      reportOnFailure: true,
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{gateway,gateway/paper-exchange,schema,scripts,console}/src/**/*.test.ts',
            'console/build/**/*.test.ts',
          ],
          ...shared,
          isolate: false,
        },
      },
      {
        test: {
          ...integration,
          name: 'integration',
          exclude: [MOCKS_A_MODULE, HAS_REAL_LEASES],
          isolate: false,
        },
      },
      { test: { ...integration, name: 'integration-alone', include: [MOCKS_A_MODULE] } },
      { test: { ...integration, name: 'integration-nodes', include: [HAS_REAL_LEASES] } },
    ],
  },
})
