import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { envExample, envPage, envTable } from 'gateway/env/describe.ts'
import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run env-example

Regenerates .env.example, docs/operations/configuration.md and the settings in README.md from the table that the gateway
reads.`

export const run = command({
  usage: USAGE,
  async run(_values, _positionals, { console }) {
    const root = new URL('../../', import.meta.url)
    for (const { path, write } of settingsFiles) {
      const file = fileURLToPath(new URL(path, root))
      writeFileSync(
        file,
        write(() => readFileSync(file, 'utf8')),
      )
      console.log(`Made ${path}`)
    }
    return 0
  },
})

/** A file that is made, whole or in part, from the table of settings. */
interface SettingsFile {
  /** From the root of the repository. */
  readonly path: string
  /** What should stand in it. */
  readonly write: (present: () => string) => string
}

const MARKED = /(?<=<!-- settings -->\n).*(?=\n<!-- \/settings -->)/s

export const settingsFiles: readonly SettingsFile[] = [
  { path: '.env.example', write: envExample },
  { path: 'docs/operations/configuration.md', write: envPage },
  { path: 'README.md', write: (present) => present().replace(MARKED, envTable) },
]

await runAsProcess(import.meta, run)
