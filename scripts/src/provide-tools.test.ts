import { expect, test } from 'vitest'
import {
  findBrowser,
  POSTGRES,
  provideBrowser,
  provideTool,
  type Tool,
  UNPACKED,
} from './provide-tools.ts'

/** What was run to get a tool on a machine. */
async function ranFor(tool: Tool, isRoot: boolean, { has = false, fails = '' } = {}) {
  const ran: string[] = []
  const skipped = await provideTool(
    { ...tool, isThere: () => has },
    {
      isRoot,
      async run(command, args) {
        const line = [command, ...args].join(' ')
        ran.push(line)
        return line !== fails
      },
    },
  )
  return { ran, skipped }
}

test('root installs PostgreSQL, without the server that the package would start', async () => {
  const [update, noCluster, install, ...others] = (await ranFor(POSTGRES, true)).ran
  expect(update).toBe('apt-get update')
  expect(noCluster).toContain('create_main_cluster = false')
  expect(install).toBe('apt-get install -y --no-install-recommends postgresql')
  expect(others).toEqual([])
})

test('other programs are unpacked, and servers of their packages are not installed', async () => {
  const all = await Promise.all(UNPACKED.map((tool) => ranFor(tool, true)))
  const ran = all.flatMap(({ ran }) => ran)
  const helm = ran.pop()
  expect(ran.map((line) => line.split(' ').at(-1))).toEqual(
    ['caddy', 'haproxy', 'promtool', 'restic', 'unzip'].flatMap((program) => ['update', program]),
  )
  // Its package is the one that was looked at, whatever the registry sends.
  expect(helm).toMatch(/sha512sum --check.* @aws-cdk\/\S+@\d+\.\d+\.\d+ [\da-f]{128}$/s)
  expect(ran.join()).not.toMatch(/install (?!-y --download-only)/)
})

const SKIPPED =
  'The tests that need postgresql are skipped: run "apt-get install postgresql" as root.'

test('nothing is installed where it is', async () => {
  expect(await ranFor(POSTGRES, true, { has: true })).toEqual({ ran: [], skipped: undefined })
})

test('without root nothing is installed, and a sentence says what is skipped', async () => {
  expect(await ranFor(POSTGRES, false)).toEqual({ ran: [], skipped: SKIPPED })
})

test('where apt-get fails a sentence says what is skipped', async () => {
  const update = 'apt-get update'
  expect(await ranFor(POSTGRES, true, { fails: update })).toEqual({
    ran: [update],
    skipped: SKIPPED,
  })
})

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
