import { beforeEach, expect, test } from 'vitest'
import { onEachDatabase } from './engines.ts'
import { entryOf, newClient, subjectsOf } from './rows.ts'

const stop = (scope: string, cancelOrders = true, startedAtMs = 1_000) => ({
  ...{ scope, cancelOrders, startedAtMs, reason: `because of ${scope}` },
})

onEachDatabase('the stops', (t) => {
  let clientRef: number
  beforeEach(async () => {
    clientRef = (await t.stores.clients.insert(newClient())).id
  })

  const failed = [{ clientId: 'grid', exchange: 'mx', reason: 'no' }] as never

  test('a stop takes the place of an earlier one of its scope, and halts its client', async () => {
    const { stops, clients } = t.stores
    expect(await stops.find('client:1')).toBeUndefined()
    const begun = {
      ...stop('client:1'),
      ...{ completedAtMs: null, resumedAtMs: null, failed: [] },
      ...{ dropped: 0, inFlight: 0, cancelled: 0 },
    }
    const byAna = { ...stop('client:1'), startedBy: 'ana@example.com' }
    expect(await stops.begin(byAna, clientRef, entryOf('one'))).toEqual(begun)
    expect(await stops.find('client:1')).toEqual({ ...begun, startedBy: 'ana@example.com' })
    expect(await clients.find(clientRef)).toMatchObject({
      ...{ stoppedAtMs: 1_000, stopReason: 'because of client:1', updatedAtMs: 1_000 },
    })
    await stops.update('client:1', { cancelled: 3, failed, completedAtMs: 4_000 })
    expect(await stops.find('client:1')).toEqual({
      ...{ ...begun, startedBy: 'ana@example.com', cancelled: 3, failed, completedAtMs: 4_000 },
    })
    const again = stop('client:1', false, 5_000)
    expect(await stops.begin(again, undefined, entryOf('two'))).toEqual({
      ...{ ...begun, ...again, completedAtMs: 5_000 },
    })
    // As after a restore: nobody began it.
    expect(await stops.find('client:1')).toMatchObject({ startedAtMs: 5_000, startedBy: null })
    expect(await subjectsOf(t)).toEqual(['one', 'two'])
  })

  test('stops that still have orders to cancel are listed', async () => {
    const { stops } = t.stores
    await stops.begin(stop('a'))
    await stops.begin(stop('none', false))
    await stops.begin(stop('completed'))
    await stops.update('completed', { completedAtMs: 2_000 })
    await stops.begin(stop('resumed'))
    await stops.resume('resumed', 2_000)
    await stops.begin(stop('b', true, 3_000))
    expect((await stops.listIncomplete()).map(({ scope }) => scope)).toEqual(['a', 'b'])
    await stops.update('unknown', { cancelled: 1 })
    expect(await stops.find('unknown')).toBeUndefined()
  })

  test('a stop is resumed once, and its client places orders again', async () => {
    const { stops, clients } = t.stores
    await stops.begin(stop('client:1'), clientRef)
    const resumed = await stops.resume('client:1', 2_000, clientRef, entryOf('resumed'))
    expect(resumed).toMatchObject({ resumedAtMs: 2_000, scope: 'client:1' })
    expect(await clients.find(clientRef)).toMatchObject({ stoppedAtMs: null, stopReason: null })
    expect(await stops.resume('client:1', 3_000)).toMatchObject({ resumedAtMs: 2_000 })
    expect(await stops.resume('unknown', 3_000, undefined, entryOf('unknown'))).toBeUndefined()
    expect(await subjectsOf(t)).toEqual(['resumed', 'unknown'])
  })

  test('of stops that begin at once one is in force, and the client has its reason', async () => {
    const { stops, clients } = t.stores
    const begin = (number: number) =>
      stops.begin({ ...stop('client:1', true, number), reason: `${number}` }, clientRef)
    await Promise.all([1, 2, 3, 4, 5, 6].map(begin))
    const found = await stops.find('client:1')
    expect(await clients.find(clientRef)).toMatchObject({
      ...{ stopReason: found?.reason, stoppedAtMs: found?.startedAtMs },
    })
  })

  test('what an exchange says about a failure is stored whatever its letters', async () => {
    const { stops } = t.stores
    const reason = 'a\\u0000 \0 "b" \u{1f600} ä'
    await stops.begin(stop('a'))
    await stops.update('a', { failed: [{ clientId: 'grid', exchange: 'mx', reason }] as never })
    expect((await stops.find('a'))?.failed).toMatchObject([{ reason }])
  })
})
