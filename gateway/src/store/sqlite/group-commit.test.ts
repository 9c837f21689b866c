import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createPatience, GroupCommit } from './group-commit.ts'

let statements: string[]
let client: Database.Database
let commits: GroupCommit
beforeEach(() => {
  statements = []
  client = new Database(':memory:', { verbose: (sql) => statements.push(`${sql}`) })
  onTestFinished(() => void client.close())
  client.exec('create table notes (text text not null)')
  commits = new GroupCommit(client, createPatience(0))
})

const note = (text: string | null) => client.prepare('insert into notes values (?)').run(text)
const notes = () => client.prepare('select text from notes').pluck().all()
const transactions = () => statements.filter((sql) => /^commit/i.test(sql)).length

test('writes of one turn share a transaction, in the order in which they came', async () => {
  await Promise.all(['a', 'b', 'c'].map((text) => commits.commit(() => note(text))))
  expect(notes()).toEqual(['a', 'b', 'c'])
  expect(transactions()).toBe(1)
})

test('a write resolves with what it returned, after its transaction', async () => {
  const [first, open] = await Promise.all([
    commits.commit(() => note('a').lastInsertRowid),
    commits.commit(() => client.inTransaction),
  ])
  expect([first, open, client.inTransaction]).toEqual([1, true, false])
})

test('a thousand writes are made in groups, with turns of the event loop between them', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    tick = setImmediate(count)
  }
  let tick = setImmediate(count)
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => commits.commit(() => note(`${i}`))))
  clearImmediate(tick)
  expect(transactions()).toBe(4)
  expect(turns).toBeGreaterThanOrEqual(3)
})

test('a write that fails is undone, and the others of its turn are made', async () => {
  const twoSteps = () => {
    note('half')
    note(null)
  }
  const results = await Promise.allSettled([
    commits.commit(() => note('a')),
    commits.commit(twoSteps),
    commits.commit(() => note('b')),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(notes()).toEqual(['a', 'b'])
})

test('a full disk fails the whole group once, and the next write is made', async () => {
  client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`)
  let tries = 0
  const large = () => {
    tries += 1
    note('x'.repeat(100_000))
  }
  const results = await Promise.allSettled([commits.commit(large), commits.commit(() => note('a'))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(tries).toBe(1)
  await commits.commit(() => note('b'))
  expect(notes()).toEqual(['b'])
})

test('it is idle when every write before has ended', async () => {
  const ended: string[] = []
  void commits.commit(() => note('a')).then(() => ended.push('a'))
  commits.commit(() => note(null)).catch(() => ended.push('failed'))
  await commits.idle()
  expect(ended).toEqual(['a', 'failed'])
})

test('writes wait while the commits are held back, also when what holds them fails', async () => {
  for (const end of ['resolve', 'reject'] as const) {
    const work = Promise.withResolvers<void>()
    const held = commits.holdWhile(() => work.promise)
    const written = commits.commit(() => note(end))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(notes()).not.toContain(end)
    if (end === 'resolve') work.resolve()
    else work.reject(new Error('the disk fails'))
    if (end === 'reject') await expect(held).rejects.toThrow('the disk fails')
    await written
    expect(notes()).toContain(end)
  }
})
