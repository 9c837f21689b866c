import { onTestFinished } from 'vitest'
import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import type { ExchangeKeys, Family, UpstreamCall } from '../../src/exchanges/exchange.ts'
import { dataOf } from '../../src/exchanges/protocol/rejection.ts'
import type { Verdict } from '../../src/exchanges/protocol/verdict.ts'
import { readTime, timeCall } from '../../src/exchanges/public-data.ts'
import { readResponse } from '../../src/exchanges/read-response.ts'
import { createExchangeClock } from '../../src/upstream/clock.ts'
import { signCall } from '../../src/upstream/sign-and-send.ts'
import { createTransport } from '../../src/upstream/transport.ts'

const mexcKeys: ExchangeKeys = { apiKey: 'mx-key', apiSecret: 'mx-secret' }
const bitgetKeys: ExchangeKeys = { apiKey: 'bg-key', apiSecret: 'bg-secret', passphrase: 'words' }
const money = { USDT: '100000', BTC: '2' }

/**
 * Everything below the lane, as the gateway uses it, against a paper exchange whose clock is an
 * hour off.
 */
export async function createPaperSession(keys: { mx?: ExchangeKeys; bg?: ExchangeKeys } = {}) {
  const exchange = await createPaperExchange({
    accounts: [
      { exchange: 'mx', ...mexcKeys, balances: money },
      { exchange: 'bg', ...bitgetKeys, balances: money },
    ],
    nowMs: () => Date.now() - 3_600_000,
  })
  const origins = { 'mexc-spot': exchange.url, 'mexc-futures': exchange.url, bitget: exchange.url }
  const transport = createTransport({ origins, timeoutMs: 60_000, maxResponseBytes: 4_000_000 })
  onTestFinished(async () => {
    await transport.close()
    await exchange.close()
  })
  const keysOf = (family: Family) =>
    family === 'bitget' ? (keys.bg ?? bitgetKeys) : (keys.mx ?? mexcKeys)

  const monotonicMs = () => performance.now()
  const clock = createExchangeClock({ monotonicMs, wallMs: Date.now })

  const send = (call: UpstreamCall) =>
    transport.send(call.family, signCall(call, keysOf(call.family), clock.nowMs()))

  const measure = async (family: Family) => {
    const sentAt = monotonicMs()
    const response = await send(timeCall(family))
    const timeMs = readTime(family, response)
    if (timeMs !== undefined) clock.learn(timeMs, sentAt, monotonicMs())
    return clock.offsetMs()
  }

  const verdictOf = async (call: UpstreamCall): Promise<Verdict> =>
    readResponse(call, await send(call))
  const ask = async (call: UpstreamCall): Promise<unknown> => dataOf('It', await verdictOf(call))
  return { exchange, clock, measure, verdictOf, ask }
}
