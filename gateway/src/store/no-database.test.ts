import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The files that choose the database. */
const CHOOSING = ['create-stores.ts', 'open-log-reads.ts']
const LOADS =
  /^(?:import (?!type )|export [{*])[^']*'(?:\.\/(?:sqlite|postgres)\/|better-sqlite3|pg'|drizzle-orm\/(?:better|node))/m

test('what is written once for both databases loads neither', () => {
  const folder = import.meta.dirname
  const files = globSync('*.ts', { cwd: folder, exclude: ['*.test.ts'] })
  const loading = files.filter((file) => LOADS.test(readFileSync(`${folder}/${file}`, 'utf8')))
  expect(files.length).toBeGreaterThan(20)
  expect(loading.sort()).toEqual(CHOOSING)
})
