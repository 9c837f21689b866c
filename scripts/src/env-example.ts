import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { envExample, envPage } from 'gateway/env/describe.ts'
import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run env-example

Regenerates .env.example and docs/reference/settings.md from the table that the gateway reads.`

export const run = command({
  usage: USAGE,
  async run(_values, _positionals, { console }) {
    const root = new URL('../../', import.meta.url)
    for (const { path, write } of settingsFiles) {
      writeFileSync(fileURLToPath(new URL(path, root)), write())
      console.log(`Made ${path}`)
    }
    return 0
  },
})

/** The files that are made from the table of settings, by their paths in the repository. */
export const settingsFiles = [
  { path: '.env.example', write: envExample },
  { path: 'docs/reference/settings.md', write: envPage },
] as const

await runAsProcess(import.meta, run)
