import { expect, test } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { StoreSilentError } from '../store/errors.ts'
import type { GroupRows, NodeRow } from '../store/node-store.ts'
import { createAlertBoard } from './alert-board.ts'
import { createGroupAlerts } from './group-alerts.ts'

const EVERY_MS = 5_000

/** The alerts of an owner whose database and other nodes the test plays. */
function group() {
  const time = createSetTime({ nowMs: 0 })
  const changes: string[] = []
  const board = createAlertBoard({
    nowMs: time.now,
    onChange: ({ subject, state }) => changes.push(`${state} ${subject}`),
  })
  const world = { isReadable: true, running: new Set(['own', 'other']), rows: [] as NodeRow[] }
  const row = (nodeId: string): NodeRow => ({
    ...{ nodeId, nodeUrl: `https://${nodeId.split(' ')[0]}`, version: '1', startedAtMs: 0 },
    ...{ seenAtMs: time.now(), isLeaving: false, keyIds: [], clockOffsetMs: 0 },
  })
  const alerts = createGroupAlerts({
    ...{ board, time, onError: (error) => expect.unreachable(String(error)) },
    self: () => row('own'),
    readEveryMs: EVERY_MS,
    nodes: {
      async read() {
        if (!world.isReadable) throw new StoreSilentError()
        const kept = world.rows.filter(({ nodeId }) => !world.running.has(nodeId))
        world.rows = [...kept, ...[...world.running].map(row)]
        return { atMs: time.now(), nodes: world.rows, owner: undefined, standbys: [] } as GroupRows
      },
    },
  })
  alerts.start()
  alerts.becomeOwner()
  return { alerts, changes, world, time }
}

test('a node that is not seen any more is reported once, and when it runs again', async () => {
  const { alerts, changes, world, time } = group()
  await time.advance(60_000)
  expect(alerts.otherUrls()).toEqual(['https://other'])
  world.running.delete('other')
  await time.advance(10_000)
  expect(changes).toEqual([])
  await time.advance(60_000)
  expect(changes).toEqual(['raised https://other'])
  expect(alerts.otherUrls()).toEqual([])
  world.running.add('other again')
  await time.advance(60_000)
  expect(changes).toEqual(['raised https://other', 'cleared https://other'])
})

test('a node that was started again at once is not missing, although its earlier run is', async () => {
  const { changes, world, time } = group()
  await time.advance(60_000)
  world.running.delete('other')
  world.running.add('other again')
  await time.advance(120_000)
  expect(changes).toEqual([])
})

test('while the database says nothing no node can be seen, and none is reported after it', async () => {
  const { changes, world, time } = group()
  await time.advance(60_000)
  world.isReadable = false
  world.running.delete('other')
  await time.advance(75_000)
  world.isReadable = true
  await time.advance(EVERY_MS)
  world.running.add('other')
  await time.advance(60_000)
  expect(changes).toEqual([])
})

test('a node that was halted itself does not report itself, nor the others that were halted with it', async () => {
  const { changes, world, time } = group()
  await time.advance(60_000)
  world.running.clear()
  await time.advance(20_000)
  world.running.add('own')
  await time.advance(EVERY_MS)
  world.running.add('other')
  await time.advance(60_000)
  expect(changes).toEqual([])
})
