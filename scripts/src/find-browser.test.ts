import { expect, test } from 'vitest'
import { findBrowser, provideBrowser } from './find-browser.ts'

test('CHROMIUM_PATH names the browser', () => {
  expect(findBrowser({ CHROMIUM_PATH: process.execPath })).toBe(process.execPath)
})

test('a CHROMIUM_PATH that names nothing is an error, not another browser', () => {
  expect(() => findBrowser({ CHROMIUM_PATH: '/nowhere/chromium' })).toThrow('"/nowhere/chromium"')
})

/** A machine without a browser, on which one command installs it; what was run on it. */
function machine({ isRoot, installs }: { isRoot: boolean; installs?: string }) {
  const ran: string[] = []
  const provide = () =>
    provideBrowser({
      isRoot,
      hasBrowser: () => installs !== undefined && ran.includes(installs),
      async run(command, args) {
        const line = [command, ...args].join(' ')
        ran.push(line)
        return line === installs || line === UPDATE
      },
    })
  return { ran, provide }
}

const UPDATE = 'apt-get update'
const INSTALL = 'apt-get install -y --no-install-recommends chromium-headless-shell'
const DOWNLOAD = 'npx playwright install chromium'

test('root installs the browser of the distribution', async () => {
  const { ran, provide } = machine({ isRoot: true, installs: INSTALL })
  await provide()
  expect(ran).toEqual([UPDATE, INSTALL])
})

test('root gets Playwright’s browser where apt-get fails', async () => {
  const { ran, provide } = machine({ isRoot: true, installs: DOWNLOAD })
  await provide()
  expect(ran).toEqual([UPDATE, INSTALL, DOWNLOAD])
})

test('another user gets Playwright’s browser', async () => {
  const { ran, provide } = machine({ isRoot: false, installs: DOWNLOAD })
  await provide()
  expect(ran).toEqual([DOWNLOAD])
})

test.each([true, false])(
  'one sentence says what to do where nothing works, root: %s',
  async (isRoot) => {
    const { provide } = machine({ isRoot })
    await expect(provide()).rejects.toThrow(
      /^No Chromium was found .*: run "apt-get install .*, or set CHROMIUM_PATH/,
    )
  },
)

test('an installation that leaves no browser is reported as failed', async () => {
  const believing = { isRoot: true, hasBrowser: () => false, run: async () => true }
  await expect(provideBrowser(believing)).rejects.toThrow('No Chromium was found')
})
