import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { tempFolder } from './support/temp-folder.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

/**
 * The commits in a write-ahead log: the frames that say how large the database is after them
 * (sqlite.org/fileformat2.html, 4.1).
 */
function commitsIn(walPath: string): number {
  const wal = readFileSync(walPath)
  const frameBytes = 24 + wal.readUInt32BE(8)
  let commits = 0
  for (let frame = 32; frame + frameBytes <= wal.length; frame += frameBytes)
    if (wal.readUInt32BE(frame + 4) !== 0) commits += 1
  return commits
}

test('an order that waits for no slot makes two commits: one before its first byte, one before its response', async () => {
  const database = join(tempFolder(), 'sluice.db')
  const { app, client } = await testApp({ env: { DATABASE_URL: `file:${database}` } })
  const { headers } = await client()
  const commitsOfOrder = async () => {
    const before = commitsIn(`${database}-wal`)
    const request = { method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER } as const
    const placed = await app.inject(request)
    expect(placed.statusCode).toBe(200)
    return commitsIn(`${database}-wal`) - before
  }
  const commits: number[] = []
  for (let i = 0; i < 5; i += 1) commits.push(await commitsOfOrder())
  // What the gateway writes by itself may come between.
  expect(Math.min(...commits)).toBe(2)
})
