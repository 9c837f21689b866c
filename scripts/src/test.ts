import { globSync, mkdirSync, rmSync } from 'node:fs'
import { type Audit, auditAdvisories, auditSignatures } from './audit-packages.ts'
import { runCommand } from './cli.ts'
import { POSTGRES, provideBrowser, provideTool, UNPACKED } from './provide-tools.ts'
import {
  FOLDER,
  type Part,
  type PartResult,
  readPlaywrightReport,
  readVitestReport,
  TestRun,
} from './test-run.ts'

const USAGE = `Usage:
  npm test               everything, as CI runs it: 8 minutes on two cores
  npm run check          lint, types and unit tests: 15 seconds
  npm run test:long      everything, with the long forms of the tests: 9 min 15 s on two cores

Before the tests it builds the gateway's bundle and the documentation, installs a browser and PostgreSQL if
there are none, and unpacks caddy, helm, promtool and restic. Checks the packages' signatures and known advisories where the
registry has them. The exit code is 1 when anything fails. The output of each part is in ${FOLDER}.
The long forms are: all outcomes of an order on all routes, all rounds of the crash runs, of the thief, of the canaries and
of the fuzzer, all scenarios of the lane's simulation, more random values, and benchmarks of full length.
CONTRIBUTING.md describes how to run parts of it.`

const OPTIONS = {
  check: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
} as const

const LINT: Part = { name: 'lint', command: 'npm', args: ['run', '--silent', 'lint'] }
/** The one rule that has to read the types of everything: as long as all others take. */
const PROMISES: Part = {
  name: 'floating promises',
  command: 'npm',
  args: ['run', '--silent', 'lint:promises'],
}
const TYPES: Part = { name: 'types', command: 'npm', args: ['run', '--silent', 'types'] }
const UNIT = vitest('unit tests', ['unit'])
/** Tests start it as `npm start` does; a start of the sources takes five times as long. */
const BUILD: Part = {
  name: 'build of the gateway',
  command: 'npm',
  args: ['run', '--silent', 'build', '--', 'gateway'],
}
/** Two of the parts below need it, and would both build it. */
const SITE: Part = {
  name: 'build of the documentation',
  command: 'npm',
  args: ['run', '--silent', 'site'],
}
const INTEGRATION: Part = {
  ...vitest('integration tests', ['integration', 'integration-alone']),
  // Without the file of the nodes.
  steps: globSync('{gateway,scripts}/test/**/*.test.ts').length - 1,
}
/** After the browser tests: its leases are in real time, and they keep both cores busy. */
const NODES: Part = { ...vitest('nodes that crash', ['integration-nodes']), steps: 1 }
const BROWSER: Part = {
  name: 'browser tests',
  command: 'npx',
  args: ['playwright', 'test', '-c', 'console', '--reporter=list,json'],
  env: {
    PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${FOLDER}/browser.json`,
    // The integration tests have their share of the cores.
    BROWSER_WORKERS: '3',
  },
  report: { path: `${FOLDER}/browser.json`, read: readPlaywrightReport },
  step: /^\s+[✓✘-]\s+\d+ /,
  failure: /^\s+✘\s+\d+ /,
}

await runCommand({
  usage: USAGE,
  options: OPTIONS,
  async run({ check, long }) {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    if (long) process.env.LONG = '1'
    const run = new TestRun()
    if (check) {
      await run.together([LINT, TYPES, UNIT])
    } else {
      const audits = [auditSignatures(), auditAdvisories()] as const
      const providing = provideAll()
      await run.together([LINT, PROMISES, TYPES, UNIT, BUILD, SITE])
      const browser = await providing
      run.add(audited('signatures of packages', await audits[0]))
      run.add(audited('advisories', await audits[1]))
      // Integration tests mostly wait, and browser tests compute.
      if (browser !== undefined) run.add(failed('browser tests', browser))
      await run.together([INTEGRATION, browser === undefined ? [BROWSER, NODES] : NODES])
    }
    return run.conclude()
  },
})

/** @returns why the browser tests cannot run; undefined: they can */
async function provideAll(): Promise<string | undefined> {
  // One after the other: only one apt-get can run at a time.
  for (const tool of [POSTGRES, ...UNPACKED]) {
    const skipped = await provideTool(tool)
    if (skipped !== undefined) console.log(skipped)
  }
  try {
    // Before the runner starts: each of its processes would look for a browser again.
    await provideBrowser()
    return undefined
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    console.log(`The browser tests cannot run. ${why}`)
    return why
  }
}

function vitest(name: string, projects: readonly string[]): Part {
  const path = `${FOLDER}/${name.replaceAll(' ', '-')}.json`
  return {
    name,
    command: 'npx',
    args: [
      ...['vitest', 'run', ...projects.map((project) => `--project=${project}`)],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${path}`],
    ],
    report: { path, read: readVitestReport },
    step: /^ [✓❯×↓] .*\.test\.tsx? /,
    failure: /^\s+×/,
  }
}

/** Counts only where the registry has what was asked for and can be reached. */
function audited(name: string, { isGood, text }: Audit): PartResult {
  console.log(`${name}: ${text}`)
  if (isGood === false) return failed(name, text)
  return { ...failed(name, text), failed: 0, failures: [], passed: isGood === true ? 1 : 0 }
}

function failed(name: string, why: string): PartResult {
  const nothing = { passed: 0, skipped: 0, files: [], wallMs: 0, cpuMs: 0 }
  return { ...nothing, name, failed: 1, failures: [why] }
}
