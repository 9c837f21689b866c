import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ENTRY = fileURLToPath(new URL('../src/test.ts', import.meta.url))

/** Reports as the runners write them: two tests of each run and three browser tests, all passed. */
const VITEST = JSON.stringify({
  ...{ numPassedTests: 2, numPendingTests: 0, numTodoTests: 0, testResults: [] },
})
const PLAYWRIGHT = JSON.stringify({
  ...{ suites: [], errors: [], stats: { expected: 3, unexpected: 0, flaky: 0, skipped: 1 } },
})

interface RunOptions {
  /** Whether Playwright can install a browser. */
  readonly canDownload?: boolean
  /** The arguments of a call of npm or npx that fails, and what it prints. */
  readonly fails?: string
  readonly args?: readonly string[]
}

/**
 * Runs `npm test` on a machine without a browser: of all commands there are only `sh` and those
 * that note how they were called.
 */
async function npmTest({ canDownload = true, fails = 'nothing', args = [] }: RunOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-npm-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync('/bin/sh', join(folder, 'sh'))
  const calls = join(folder, 'calls')
  const command = (name: string, lines: string) =>
    writeFileSync(
      join(folder, name),
      `#!/bin/sh
      echo "${name} $1 $2 $3" >> '${calls}'
      ${lines}
      case "$*" in *'${fails}'*) echo "what went wrong"; exit 1 ;; esac\n`,
      { mode: 0o755 },
    )
  command('npm', '')
  command('apt-get', 'exit 100')
  const download = canDownload
    ? `: > '${folder}/chromium' && /bin/chmod 755 '${folder}/chromium'`
    : 'exit 1'
  command(
    'npx',
    `for last in "$@"; do :; done
    case "$1 $2" in
      "vitest run") echo '${VITEST}' > "\${last#--outputFile.json=}" ;;
      "playwright install") ${download} ;;
      "playwright test") echo '${PLAYWRIGHT}' > "$PLAYWRIGHT_JSON_OUTPUT_NAME" ;;
    esac`,
  )
  const child = spawn(process.execPath, [ENTRY, ...args], {
    cwd: folder,
    env: { PATH: folder, PLAYWRIGHT_BROWSERS_PATH: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = textOf(child.stdout)
  const [code] = await once(child, 'close')
  const ran = readFileSync(calls, 'utf8').trim().split('\n')
  return { code, ran, lines: (await output).trim().split('\n') }
}

// The browser was only looked for: on a fresh machine every browser test failed.
test('without a browser one is installed, and the browser tests run beside the integration tests', async () => {
  const { code, ran, lines } = await npmTest()
  const placeOf = (project: string) => ran.indexOf(`npx vitest run --project=${project}`)
  const browser = ran.indexOf('npx playwright test -c')
  expect(ran.indexOf('npx playwright install chromium')).toBeLessThan(browser)
  // What compiles ends before them.
  for (const call of ['lint', 'lint:promises', 'types', 'build', 'site'])
    expect(ran.indexOf(`npm run --silent ${call}`)).toBeLessThan(
      Math.min(placeOf('integration'), browser),
    )
  expect(placeOf('integration-nodes')).toBeGreaterThan(browser)
  const times = lines.slice(lines.indexOf('Where the time went (wall and CPU)') + 1).join('\n')
  const parts = ['lint', 'unit tests', 'integration tests', 'browser tests']
  for (const part of [...parts, 'together, with all that this machine computed'])
    expect(times).toMatch(new RegExp(`^ +[\\d.]+ s +[\\d.]+ s  ${part}$`, 'm'))
  expect(lines.at(-1)).toBe('14 passed, 0 failed, 1 skipped')
  expect(code).toBe(0)
})

test('where no browser can be installed the other tests still run, and the failure says what to do', async () => {
  const { code, ran, lines } = await npmTest({ canDownload: false })
  expect(ran).toContain('npx vitest run --project=integration')
  expect(ran).not.toContain('npx playwright test -c')
  expect(lines.at(-3)).toMatch(
    /^FAILED: browser tests: No Chromium .*: run "apt-get install .*CHROMIUM_PATH/,
  )
  expect(lines.slice(-2)).toEqual(['FAILED: browser tests', '11 passed, 1 failed, 0 skipped'])
  expect(code).toBe(1)
})

test('a part that fails is named when it ends, before the times and at the end, with what it printed', async () => {
  const { code, lines } = await npmTest({ fails: 'types' })
  const places = lines.flatMap((line, index) =>
    /FAILED.*types|types FAILED/.test(line) ? [index] : [],
  )
  expect(lines[places[0] ?? 0]).toMatch(/types FAILED/)
  expect(lines.indexOf('what went wrong')).toBe((places[0] ?? 0) + 1)
  expect(lines[places[1] ?? 0]).toBe('FAILED: types')
  expect(places[1]).toBeLessThan(lines.indexOf('Where the time went (wall and CPU)'))
  expect(lines.slice(-2)).toEqual(['FAILED: types', '13 passed, 1 failed, 1 skipped'])
  expect(code).toBe(1)
})

test('npm run check runs lint, types and unit tests, and nothing else', async () => {
  const { code, ran, lines } = await npmTest({ args: ['--check'] })
  expect(ran.toSorted()).toEqual([
    ...['npm run --silent lint', 'npm run --silent types', 'npx vitest run --project=unit'],
  ])
  expect(lines.at(-1)).toBe('4 passed, 0 failed, 0 skipped')
  expect(code).toBe(0)
})
