import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { buildGateway } from './build-gateway.ts'
import { buildSite } from './build-site.ts'
import { command, runAsProcess, UsageError } from './cli.ts'

const USAGE = `Usage:
  npm run build
  npm run build -- console
  npm run build -- gateway

Builds the console's static files with the documentation (console/dist), and the bundle of the gateway (gateway/dist/bundle),
which "npm start" runs as long as no source has changed since.`

const PARTS = { console: buildConsole, gateway: buildGateway } as const

export const run = command({
  usage: USAGE,
  allowPositionals: true,
  async run(_values, names, { console }) {
    const parts = names.length === 0 ? Object.keys(PARTS) : names
    const builds = parts.map((name) => {
      if (name !== 'console' && name !== 'gateway') throw new UsageError()
      return PARTS[name]
    })
    for (const build of builds) console.log(`Built ${await build()}`)
    return 0
  },
})

const root = fileURLToPath(new URL('../../console', import.meta.url))

/**
 * Builds the console's static files, with the documentation below `docs/guide`, and returns their
 * folder. Takes a few seconds.
 */
export async function buildConsole(): Promise<string> {
  const [site] = await Promise.all([buildSite(), build({ root, logLevel: 'error' })])
  cpSync(site, `${root}/dist/docs/guide`, { recursive: true })
  return `${root}/dist`
}

await runAsProcess(import.meta, run)
