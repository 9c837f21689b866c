import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The files that choose what implements the interfaces. */
const CHOOSING = ['create-stores.ts', 'open-beside.ts', 'open-log-reads.ts']
const LOADS =
  /^(?:import (?!type )|export [{*])[^']*'(?:\.\/(?:sqlite|postgres)\/|better-sqlite3|drizzle-orm)/m

test('the interfaces of the stores load no database', () => {
  const folder = import.meta.dirname
  const files = globSync('*.ts', { cwd: folder, exclude: ['*.test.ts'] })
  const loading = files.filter((file) => LOADS.test(readFileSync(`${folder}/${file}`, 'utf8')))
  expect(files.length).toBeGreaterThan(20)
  expect(loading.sort()).toEqual(CHOOSING)
})
