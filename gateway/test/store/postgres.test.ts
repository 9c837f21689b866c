import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { StoreDamagedError, StoreUnwritableError } from '../../src/store/errors.ts'
import { type Db, openPostgres } from '../../src/store/postgres/open.ts'
import { clients, facts, oldSecrets, requestLogs } from '../../src/store/postgres/tables.ts'
import {
  changing,
  isOrphan,
  isTaken,
  reading,
  writing,
  writingOnce,
  writingUnsynced,
} from '../../src/store/postgres/write.ts'
import {
  asSuperuser,
  createDatabase,
  hasPostgres,
  openTestStore,
  runningCluster,
} from '../support/postgres.ts'

const CLIENT = {
  ...{ clientId: 'a', secretHash: 'h', secretPreview: 'p', createdAtMs: 1, updatedAtMs: 1 },
}

describe.skipIf(!hasPostgres)('writes to PostgreSQL', () => {
  test('a row comes back as it was written', async () => {
    const { db } = await openTestStore()
    const limits = { maxOrderUsdt: '10.50', b: '\0\ud800', a: 1 } as never
    const values = { ...CLIENT, limits, stoppedAtMs: 2 ** 52 }
    const [row] = await writing(db, (tx) => tx.insert(clients).values(values).returning())
    expect(row).toEqual({
      ...CLIENT,
      ...{ id: 1, description: null, active: true, stopReason: null, stoppedAtMs: 2 ** 52 },
      ...{ permissions: ['market', 'account', 'trade'], limits },
    })
    expect(JSON.stringify(row?.limits)).toBe(JSON.stringify(limits))
    expect(await db.$count(clients)).toBe(1)
    const [sum] = await db.select({ sum: sql`sum(created_at_ms)` }).from(clients)
    expect(sum).toEqual({ sum: 1 })
  })

  test('a transaction is stored whole or not at all', async () => {
    const { db } = await openTestStore()
    const failed = writing(db, async (tx) => {
      await tx.insert(facts).values({ name: 'one', value: '1' })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await db.$count(facts)).toBe(0)
  })

  test('a transaction that hides a failed statement does not count as stored', async () => {
    const { db } = await openTestStore()
    const hidden = writing(db, async (tx) => {
      await tx.insert(facts).values({ name: 'one', value: '1' })
      await tx
        .insert(facts)
        .values({ name: 'one', value: '2' })
        .catch(() => {})
    })
    await expect(hidden).rejects.toThrow('A statement of the transaction failed')
    expect(await db.$count(facts)).toBe(0)
  })

  test('violated constraints are distinguished, and no value is in the error', async () => {
    const { db } = await openTestStore()
    const insert = () =>
      writingOnce(db, () => db.insert(clients).values({ ...CLIENT, secretHash: 'sesame' }))
    await insert()
    const taken = await insert().catch((error: unknown) => error)
    expect([isTaken(taken), isOrphan(taken)]).toEqual([true, false])
    const orphan = await db
      .insert(oldSecrets)
      .values({ clientRef: 99, hash: 'sesame', preview: 'sesame', expiresAtMs: 1 })
      .catch((error: unknown) => error)
    expect([isTaken(orphan), isOrphan(orphan)]).toEqual([false, true])
    const incomplete = await db
      .insert(requestLogs)
      .values({ note: 'sesame', method: 'sesame' } as never)
      .catch((error: unknown) => error)
    for (const error of [taken, orphan, incomplete])
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('sesame')
  })

  test('what waits for the disk says so to the server, whatever its default is', async () => {
    const url = await createDatabase()
    const database = new URL(url).pathname.slice(1)
    const off = `alter database ${database} set synchronous_commit to off`
    await asSuperuser(await runningCluster(), off)
    const { db, close } = await openPostgres(url)
    const setting = async (tx: Pick<Db, 'execute'>) =>
      (await tx.execute(sql`show synchronous_commit`)).rows[0]?.synchronous_commit
    expect(await writing(db, setting)).toBe('on')
    expect(await writingUnsynced(db, setting)).toBe('off')
    expect(await changing(db, setting)).toBe('on')
    expect(await setting(db)).toBe('on')
    await close()
  })

  test('changes that read before they write lose nothing to each other', async () => {
    const { db } = await openTestStore()
    await db.insert(facts).values({ name: 'count', value: '0' })
    const add = () =>
      changing(db, async (tx) => {
        const [fact] = await tx.select().from(facts)
        await tx.update(facts).set({ value: `${Number(fact?.value) + 1}` })
      })
    // Ten at a time: the last of 40 may wait longer than a write waits for a connection.
    for (let round = 0; round < 4; round += 1) await Promise.all(Array.from({ length: 10 }, add))
    expect(await db.select().from(facts)).toEqual([{ name: 'count', value: '40' }])
  })

  test('transactions that deadlock are run again', async () => {
    const { db } = await openTestStore()
    await db.insert(facts).values([
      { name: 'a', value: '' },
      { name: 'b', value: '' },
    ])
    const bothHaveOne = Promise.withResolvers<void>()
    let [runs, held] = [0, 0]
    const touch = (...names: readonly string[]) =>
      writing(db, async (tx) => {
        runs += 1
        for (const name of names) {
          await tx.update(facts).set({ value: sql`value || 'x'` }).where(eq(facts.name, name))
          held += 1
          if (held === 2) bothHaveOne.resolve()
          await bothHaveOne.promise
        }
      })
    await Promise.all([touch('a', 'b'), touch('b', 'a')])
    expect(runs).toBeGreaterThan(2)
    expect((await db.select().from(facts)).map(({ value }) => value)).toEqual(['xx', 'xx'])
  })

  test('text is compared by its bytes, and what no text has becomes the replacement character', async () => {
    const { db } = await openTestStore()
    const names = ['ab', 'B', 'a b', 'ä', 'A', 'a\0']
    await db.insert(facts).values(names.map((name) => ({ name, value: '' })))
    const rows = await db.select().from(facts).orderBy(facts.name)
    expect(rows.map(({ name }) => name)).toEqual(['A', 'B', 'a b', 'ab', 'a\u{fffd}', 'ä'])
  })

  test('reads of one moment do not see what is committed after it', async () => {
    const { db } = await openTestStore()
    const counts = await reading(db, async (tx) => {
      const before = await tx.$count(facts)
      await writing(db, (own) => own.insert(facts).values({ name: 'new', value: '' }))
      return [before, await tx.$count(facts), await db.$count(facts)]
    })
    expect(counts).toEqual([0, 0, 1])
  })

  test('a statement that takes too long is not done, and the caller may try again', async () => {
    const { db } = await openTestStore()
    const startedMs = performance.now()
    const slow = writing(db, async (tx) => {
      await tx.insert(facts).values({ name: 'one', value: '1' })
      await tx.execute(sql`select pg_sleep(250)`)
    })
    await expect(slow).rejects.toThrow(StoreUnwritableError)
    expect(performance.now() - startedMs).toBeLessThan(200_000)
    expect(await db.$count(facts)).toBe(0)
  })

  test('after damage nothing is written any more', async () => {
    const { db } = await openTestStore()
    const found: Error[] = []
    db.damage.onFound((error) => found.push(error))
    const damaged = db.execute(
      sql`do $$ begin raise 'invalid page' using errcode = 'XX001'; end $$`,
    )
    await expect(damaged).rejects.toThrow(StoreDamagedError)
    expect(found).toHaveLength(1)
    await expect(writing(db, async () => {})).rejects.toThrow('fail over to a standby')
  })
})
