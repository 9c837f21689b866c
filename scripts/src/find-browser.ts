import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const ON_PATH = ['chromium', 'chromium-headless-shell', 'google-chrome'] as const

/**
 * The path of a Chromium on this machine: `$CHROMIUM_PATH`, else one on the PATH. Undefined when there is none;
 * Playwright's own download may still be.
 * @throws when `$CHROMIUM_PATH` names nothing
 */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.CHROMIUM_PATH
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH is "${named}", which does not exist`)
    return named
  }
  for (const name of ON_PATH) {
    const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return undefined
}

/**
 * Makes sure that the browser tests have a browser: looks for one, else installs one, with apt-get when this is
 * root on Debian or Ubuntu, otherwise with Playwright.
 * @throws one line that says what to do when nothing works
 */
export function provideBrowser(): void {
  if (findBrowser() !== undefined || existsSync(chromium.executablePath())) return
  const isRoot = process.getuid?.() === 0
  if (isRoot && succeeds('apt-get', ['--version'])) {
    const install = ['install', '-y', '--no-install-recommends', 'chromium-headless-shell']
    if (runs('apt-get', ['update']) && runs('apt-get', install)) return
  }
  if (runs('npx', ['playwright', 'install', 'chromium'])) return
  throw new Error(
    'No Chromium for the browser tests: install chromium (apt-get install chromium-headless-shell) or set CHROMIUM_PATH to one.',
  )
}

function succeeds(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    return true
  } catch {
    return false // The command has said why on stderr; the next way is tried.
  }
}
