import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { command, runAsProcess } from './cli.ts'
import { settingsFiles } from './settings-files.ts'

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

await runAsProcess(import.meta, run)
