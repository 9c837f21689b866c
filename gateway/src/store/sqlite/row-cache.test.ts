import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openStore } from './open.ts'

interface Note {
  readonly description: string
}

function world() {
  const path = join(tempFolder(), 'sluice.db')
  const store = openStore(path)
  onTestFinished(() => store.close())
  const { $client, rows } = store.db
  const insert = `insert into clients (id, client_id, description, secret_hash, secret_preview, created_at_ms, updated_at_ms)`
  $client.exec(`${insert} values (1, 'grid', 'first', 'h', 'p', 0, 0)`)
  const select = $client.prepare<[], Note>('select description from clients where id = 1')
  const kept = rows.keep<Note>()
  let reads = 0
  const read = () => {
    reads += 1
    return select.get()
  }
  return { path, client: $client, find: () => kept('1', read)?.description, reads: () => reads }
}

const change = (text: string) => `update clients set description = '${text}' where id = 1`

test('a row is read once, and used until it changes', () => {
  const { client, find, reads } = world()
  expect([find(), find(), find()]).toEqual(['first', 'first', 'first'])
  expect(reads()).toBe(1)
  client.exec(change('second'))
  expect([find(), find()]).toEqual(['second', 'second'])
  expect(reads()).toBe(2)
})

test('what another process commits is seen at the next look', () => {
  const { path, find } = world()
  expect(find()).toBe('first')
  const other = new Database(path)
  onTestFinished(() => void other.close())
  other.exec(change('second'))
  expect(find()).toBe('second')
  other.exec('delete from clients')
  expect(find()).toBeUndefined()
})

test('a row that goes with another one, and one that is rolled back, are read again', () => {
  const { client, find, reads } = world()
  find()
  client.exec(`begin; ${change('never')}; rollback`)
  expect(find()).toBe('first')
  expect(reads()).toBe(2)
  client.exec(`insert into client_tokens values ('jti', 1, 0, 1, null)`)
  find()
  client.exec('delete from clients where id = 1')
  expect(find()).toBeUndefined()
  expect(reads()).toBe(3)
})

test('nobody can change a row that others get', () => {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const kept = store.db.rows.keep<{ name: string }>()
  const row = kept('1', () => ({ name: 'grid' }))
  expect(row === undefined || Reflect.set(row, 'name', 'other')).toBe(false)
})
