import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { requireNode24 } from './cli.ts'
import { settingsFiles } from './settings-files.ts'

requireNode24()
const root = new URL('../../', import.meta.url)
for (const { path, write } of settingsFiles) {
  const file = fileURLToPath(new URL(path, root))
  writeFileSync(
    file,
    write(() => readFileSync(file, 'utf8')),
  )
  console.log(`Made ${path}`)
}
