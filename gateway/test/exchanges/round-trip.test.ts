import { expect, test } from 'vitest'
import { accountIdCall } from '../../src/exchanges/bitget/classic/documented.ts'
import * as mexcFutures from '../../src/exchanges/mexc-futures/documented.ts'
import * as mexcSpot from '../../src/exchanges/mexc-spot/documented.ts'
import { createPaperSession } from './paper-session.ts'

// Calls and their readers below the lane; what orders, balances and positions are like is shown
// through the gateway (doors/calls.ts).

const families = ['mexc-spot', 'mexc-futures', 'bitget'] as const
const accountCalls = {
  'mexc-spot': mexcSpot.accountCall,
  'mexc-futures': mexcFutures.accountCall,
  bitget: accountIdCall,
}

test.each(families)('the clock of %s is measured although it is an hour off', async (family) => {
  const { measure } = await createPaperSession()
  const offsetMs = await measure(family)
  expect(Math.abs(offsetMs + 3_600_000)).toBeLessThan(60_000)
})

test.each(families)('without its clock %s rejects for the time, and says so', async (family) => {
  const { verdictOf } = await createPaperSession()
  const call = accountCalls[family]()
  expect(await verdictOf(call)).toMatchObject({ kind: 'rejected', rejection: { class: 'time' } })
})

test.each(families)('a wrong secret is rejected by %s as a bad signature', async (family) => {
  const { measure, verdictOf } = await createPaperSession({
    mx: { apiKey: 'mx-key', apiSecret: 'wrong' },
    bg: { apiKey: 'bg-key', apiSecret: 'wrong', passphrase: 'words' },
  })
  await measure(family)
  const call = accountCalls[family]()
  expect(await verdictOf(call)).toMatchObject({
    kind: 'rejected',
    rejection: { class: 'signature' },
  })
})
