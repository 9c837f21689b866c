import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import { auditSignatures, type SignatureAudit } from './audit-signatures.ts'
import { runCommand } from './cli.ts'
import { provideBrowser } from './find-browser.ts'
import { POSTGRES, provideTool, UNPACKED } from './provide-tools.ts'
import {
  type ReadReport,
  type Report,
  readPlaywrightReport,
  readVitestReport,
} from './test-reports.ts'

const USAGE = `Usage:
  npm test

Runs all checks of a release: lint, types, unit, integration and browser tests. Before them it builds the gateway's bundle,
as "npm run build -- gateway" does, installs a browser and PostgreSQL if there are none, and unpacks caddy, promtool and
restic. Checks the packages' signatures where the registry has keys. The exit code is 1 when anything fails.
CONTRIBUTING.md describes how to run parts of it.`

const FOLDER = '.cache/test'
const TESTED = ['unit', 'integration', 'integration-alone'] as const
const total: Report = { passed: 0, failed: 0, skipped: 0, failures: [] }

await runCommand({
  usage: USAGE,
  async run() {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })

    // They fill the time in which tests wait, and end before the measurements.
    const beside = [
      begin('lint', 'npm', ['run', '--silent', 'lint']),
      begin('types', 'npm', ['run', '--silent', 'types']),
    ]
    const audit = auditSignatures()
    // Tests start it as `npm start` does; a start of the sources takes five times as long.
    await check('build of the gateway', 'npm', ['run', '--silent', 'build', '--', 'gateway'])
    for (const tool of [POSTGRES, ...UNPACKED]) provideTool(tool)
    await vitest('unit and integration tests', projects(TESTED))
    for (const finish of beside) await finish()
    signatures(await audit)
    await vitest('measurements', projects(['measured']))
    await browserTests()

    for (const failure of total.failures) console.log(`FAILED: ${failure}`)
    console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
    return total.failed === 0 ? 0 : 1
  },
})

function projects(names: readonly string[]): string[] {
  return names.map((name) => `--project=${name}`)
}

function vitest(name: string, options: readonly string[]): Promise<void> {
  const report = `${FOLDER}/vitest.json`
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return suite(name, 'npx', ['vitest', 'run', ...options, ...reporters], report, readVitestReport)
}

/** Counts only where the registry signs packages and can be reached. */
function signatures({ isGood, text }: SignatureAudit): void {
  console.log(`\n== signatures of packages\n${text}`)
  if (isGood === true) add({ passed: 1, failed: 0, skipped: 0, failures: [] })
  if (isGood === false)
    add({ passed: 0, failed: 1, skipped: 0, failures: [`signatures of packages: ${text}`] })
}

/** Without a browser they count as one failure, beside the results of what ran before. */
async function browserTests(): Promise<void> {
  try {
    // Before the runner starts: each of its processes would look for a browser again.
    provideBrowser()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return add({ passed: 0, failed: 1, skipped: 0, failures: [`browser tests: ${why}`] })
  }
  await suite(
    'browser tests',
    'npx',
    ['playwright', 'test', '-c', 'console', '--reporter=dot,json'],
    `${FOLDER}/browser.json`,
    readPlaywrightReport,
    { PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${FOLDER}/browser.json` },
  )
}

/** A command that passes or fails as one. */
async function check(name: string, command: string, args: string[]): Promise<void> {
  addCheck(name, await run(name, command, args))
}

/** Starts such a command. @returns what waits for its end, and then prints what it said */
function begin(name: string, command: string, args: string[]): () => Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([textOf(child.stdout), textOf(child.stderr)])
  const ended = codeOf(child)
  return async () => {
    console.log(`\n== ${name}`)
    process.stdout.write((await said).join(''))
    addCheck(name, await ended)
  }
}

function addCheck(name: string, code: number): void {
  if (code === 0) add({ passed: 1, failed: 0, skipped: 0, failures: [] })
  else add({ passed: 0, failed: 1, skipped: 0, failures: [name] })
}

/** A runner that counts its tests. One that ends badly without a failed test has failed too. */
async function suite(
  name: string,
  command: string,
  args: string[],
  path: string,
  read: ReadReport,
  env: Record<string, string> = {},
): Promise<void> {
  rmSync(path, { force: true })
  const code = await run(name, command, args, env)
  const report: Report = { passed: 0, failed: 0, skipped: 0, failures: [] }
  try {
    Object.assign(report, read(JSON.parse(readFileSync(path, 'utf8'))))
  } catch (error) {
    console.error(`${name} wrote no report:`, error)
  }
  if (report.failed === 0 && (code !== 0 || report.passed === 0)) {
    report.failed = 1
    report.failures = [`${name} ended with exit code ${code} and no failed test; see its output`]
  }
  add(report)
}

function add({ passed, failed, skipped, failures }: Report): void {
  total.passed += passed
  total.failed += failed
  total.skipped += skipped
  total.failures.push(...failures)
}

function run(
  name: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<number> {
  console.log(`\n== ${name}`)
  return codeOf(spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }))
}

function codeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}
