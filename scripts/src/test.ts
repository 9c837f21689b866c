import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { runCommand } from './cli.ts'
import { findBrowser } from './find-browser.ts'

interface Count {
  passed: number
  failed: number
  skipped: number
}

const USAGE = `Usage:
  npm test

Runs everything as it is run before a release: lint, types, unit, integration and browser tests; gets a browser if there
is none. The exit code is 1 when anything fails. CONTRIBUTING.md tells how to run a part of it.`

const folder = '.cache/test'
const total: Count = { passed: 0, failed: 0, skipped: 0 }
const failures: string[] = []

await runCommand({
  usage: USAGE,
  async run() {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })

    await check('lint', 'npm', ['run', '--silent', 'lint'])
    await check('types', 'npm', ['run', '--silent', 'types'])
    await suite(
      'unit and integration tests',
      'npx',
      [
        'vitest',
        'run',
        '--coverage',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${folder}/vitest.json`,
      ],
      () => {
        const report = readReport(`${folder}/vitest.json`)
        return {
          passed: Number(report.numPassedTests),
          failed: Number(report.numFailedTests),
          skipped: Number(report.numPendingTests) + Number(report.numTodoTests),
        }
      },
    )
    // Found, or fetched, before the runner starts: each of its processes would look again.
    findBrowser()
    await suite(
      'browser tests',
      'npx',
      ['playwright', 'test', '-c', 'console', '--reporter=dot,json'],
      () => {
        const { stats } = readReport(`${folder}/browser.json`)
        return {
          passed: Number(stats.expected),
          failed: Number(stats.unexpected),
          skipped: Number(stats.skipped),
        }
      },
      { PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${folder}/browser.json` },
    )

    for (const failure of failures) console.log(`FAILED: ${failure}`)
    console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
    return total.failed === 0 ? 0 : 1
  },
})

/** A command that passes or fails as one. */
async function check(name: string, command: string, args: string[]): Promise<void> {
  const code = await run(name, command, args)
  add(
    name,
    code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 },
  )
}

/** A runner that counts its tests. One that ends badly without a failed test has failed all the same. */
async function suite(
  name: string,
  command: string,
  args: string[],
  readCount: () => Count,
  env: Record<string, string> = {},
): Promise<void> {
  const code = await run(name, command, args, env)
  let count: Count = { passed: 0, failed: 0, skipped: 0 }
  try {
    count = readCount()
  } catch (error) {
    console.error(`${name} left no report:`, error)
  }
  if (code !== 0 || count.passed === 0) count.failed = Math.max(1, count.failed)
  add(name, count)
}

function add(name: string, count: Count): void {
  total.passed += count.passed
  total.failed += count.failed
  total.skipped += count.skipped
  if (count.failed > 0) failures.push(`${name} (${count.failed})`)
}

function run(
  name: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<number> {
  console.log(`\n== ${name}`)
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function readReport(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
