import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ENTRY = fileURLToPath(new URL('../src/test.ts', import.meta.url))

/** Reports as the runners write them: two tests of each run and three browser tests, all passed. */
const VITEST = JSON.stringify({
  numPassedTests: 2,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
})
const PLAYWRIGHT = JSON.stringify({
  suites: [],
  errors: [],
  stats: { expected: 3, unexpected: 0, flaky: 0, skipped: 1 },
})

/**
 * Runs `npm test` on a machine without a browser: of all commands there are only `sh` and those
 * that note how they were called. `canDownload` says whether Playwright can install one.
 */
async function npmTest({ canDownload }: { canDownload: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-npm-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync('/bin/sh', join(folder, 'sh'))
  const calls = join(folder, 'calls')
  const command = (name: string, lines: string) =>
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\necho "${name} $1 $2 $3" >> '${calls}'\n${lines}\n`,
      { mode: 0o755 },
    )
  command('npm', '')
  command('apt-get', 'exit 100')
  const download = canDownload
    ? `: > '${folder}/chromium' && /bin/chmod 755 '${folder}/chromium'`
    : 'exit 1'
  command(
    'npx',
    `case "$1 $2" in
      "vitest run") echo '${VITEST}' > .cache/test/vitest.json ;;
      "playwright install") ${download} ;;
      "playwright test") echo '${PLAYWRIGHT}' > "$PLAYWRIGHT_JSON_OUTPUT_NAME" ;;
    esac`,
  )
  const child = spawn(process.execPath, [ENTRY], {
    cwd: folder,
    env: { PATH: folder, PLAYWRIGHT_BROWSERS_PATH: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  const [code] = await once(child, 'close')
  const ran = readFileSync(calls, 'utf8').trim().split('\n')
  return { code, ran, lines: output.trim().split('\n') }
}

// The browser was only looked for: on a fresh machine every browser test failed.
test('without a browser one is installed, and the browser tests run with it', async () => {
  const { code, ran, lines } = await npmTest({ canDownload: true })
  expect(ran.slice(-2)).toEqual(['npx playwright install chromium', 'npx playwright test -c'])
  expect(lines.at(-1)).toBe('10 passed, 0 failed, 1 skipped')
  expect(code).toBe(0)
})

test('where no browser can be installed the other tests still run, and the failure says what to do', async () => {
  const { code, ran, lines } = await npmTest({ canDownload: false })
  const measurements = 'npx vitest run --project=measured'
  expect(ran.filter((call) => /^(npm run --silent build|npx vitest)/.test(call))).toEqual([
    'npm run --silent build',
    'npx vitest run --project=unit',
    measurements,
  ])
  // They run beside the tests, and nothing runs beside what measures.
  for (const call of ['npm run --silent lint', 'npm run --silent types', 'npm config get registry'])
    expect(ran.slice(0, ran.indexOf(measurements))).toContain(call)
  expect(ran.at(-1)).toBe('npx playwright install chromium')
  expect(lines.at(-2)).toMatch(
    /^FAILED: browser tests: No Chromium .*: run "apt-get install .*CHROMIUM_PATH/,
  )
  expect(lines.at(-1)).toBe('7 passed, 1 failed, 0 skipped')
  expect(code).toBe(1)
})
