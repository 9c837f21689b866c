import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readOrderKey } from '../../../test/support/exchange-orders.ts'
import type { UpstreamCall } from '../exchange.ts'
import { lookupsOfAll } from '../order-lookups.ts'
import { datedOrderKey, type OrderKey } from './order-key.ts'

const SENT_AT_MS = 1_800_000_000_000

/** What version 1.0.0 wrote into the journal before it sent these calls. */
const rows: { call: UpstreamCall; stored: string }[] = JSON.parse(
  readFileSync(
    new URL('../../../test/fixtures/order-keys-of-version-1.json', import.meta.url),
    'utf8',
  ),
)

// An order that was sent before an upgrade and is unknown after it must be looked up at the same
// places.
test.each(rows)(
  'what version 1 wrote for $call.path is written and looked up alike today',
  ({ call, stored }) => {
    const before: OrderKey = JSON.parse(stored)
    const key = readOrderKey(call)
    expect(key).toBeDefined()
    if (key === undefined) return
    expect(JSON.parse(JSON.stringify(datedOrderKey(key, 'sl-a', SENT_AT_MS)))).toMatchObject(before)
    const questions = lookupsOfAll(before, SENT_AT_MS, SENT_AT_MS + 61_000)
    expect(questions.length).toBeGreaterThan(0)
    for (const { lookups } of questions) expect(lookups.length).toBeGreaterThan(0)
  },
)
