import { NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import type { UpstreamCall } from '../src/exchanges/exchange.ts'
import type { SymbolRules } from '../src/exchanges/symbol-rules.ts'
import { Limits } from '../src/limits/limits.ts'
import { Prices } from '../src/limits/prices.ts'
import type { ClientRow } from '../src/store/client-store.ts'
import { Events } from '../src/upstream/events.ts'
import { cpuMs, slowness } from './support/longest-turn.ts'
import { createSetTime } from './support/set-time.ts'

// An order of a client with limits costs at most 20 microseconds more, while no price has to be
// asked for: at its admission, before it is signed, and when it has ended, together.
const MICROS_MAX = 20
/** Half of what a fixed piece of work takes longer than on a quiet machine is not seen. */
const SPARE = 2
/** What the engine does in between costs time too: of so many rounds one has to be good enough. */
const ROUNDS = 15
const ORDERS = 2_000

const rules: SymbolRules = {
  ...{ symbol: 'BTCUSDT', market: 'futures', baseCoin: 'BTC', quoteCoin: 'USDT', tradable: true },
  ...{ minSize: '0.001', sizeStep: '0.001', priceTick: '0.1' },
}
const call: UpstreamCall = {
  ...{ family: 'bitget', method: 'POST', path: '/api/v2/mix/order/place-order', query: '' },
  body: '{"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginMode":"crossed","marginCoin":"USDT","side":"sell","orderType":"limit","force":"gtc","size":"0.01","price":"60000","clientOid":"sx-0123456789abcdef"}',
  signed: true,
}
const mandate = {
  ...NO_LIMITS,
  ...{ symbols: ['ETH*', 'BTCUSDT'], markets: ['spot', 'futures'], maxOrderValue: '1000' },
  ...{ maxDayValue: '9000000000', maxOpenOrders: 10_000, maxOrdersPerMinute: 1_000_000 },
  ...{ maxLeverage: 5, priceCollarPercent: '5' },
}

/** Microseconds of this thread's CPU time for each order, as on a quiet machine. */
async function costOf(limits: object | null, microsMax: number): Promise<number> {
  let nowMs = 1_000_000_000_000
  const events = new Events({ error: (...args) => expect.fail(String(args)) })
  const client = { id: 1, limits, stoppedAtMs: null, stopReason: null } as unknown as ClientRow
  const checks = new Limits({
    events,
    clients: { find: async () => client },
    journal: {
      dayValues: async () => [],
      unvalued: async function* () {},
      setValues: async () => {},
    },
    rules: { get: async () => rules, peek: () => rules },
    prices: new Prices({
      fetch: async (_key, onSent) => {
        onSent()
        return { reference: '60000', high: '60001' }
      },
      time: createSetTime(),
    }),
    own: {
      openOf: () => ({ open: '0', resting: { now: '0', stop: '0', profit: '0' }, isCertain: true }),
      hasOpen: () => false,
      learn: async () => true,
    },
    positionMode: async () => 'oneWay',
    keys: { accountRefOf: async () => 1, othersWithKeyOf: async () => [] },
    workingOrders: { countOf: () => 3, withIds: () => [], list: () => [] },
    sync: async () => {},
    listsReadAtMs: () => undefined,
    nowMs: () => nowMs,
  })
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && best > microsMax; round += 1) {
    // The day has orders in each of its minutes.
    nowMs += (86_400_000 / ROUNDS) | 0
    const beganMs = cpuMs()
    for (let count = 0; count < ORDERS; count += 1) {
      nowMs += 29
      const order = {
        id: `${round}-${count}`,
        clientRef: 1,
        clientId: 'bot',
        exchange: 'bg',
      } as const
      const request = { ...order, endpoint: '/bg' }
      const orderCall = { order: undefined, call: { ...call } }
      await checks.admit(request, orderCall)
      if ((await checks.recheck(request, orderCall)) !== undefined) throw new Error('It is refused')
      checks.sending(request.id)
      events.emit('orderSettled', { order: request as never, state: 'answered', results: [] })
    }
    const micros = (1_000 * (cpuMs() - beganMs)) / ORDERS
    best = Math.min(best, micros / slowness())
  }
  return best
}

test('the check of an order without a fetch costs little, and nothing without limits', async () => {
  const none = await costOf(null, (MICROS_MAX * SPARE) / 5)
  const limited = await costOf(mandate, MICROS_MAX * SPARE)
  console.info(
    `an order's limits: ${limited.toFixed(1)} µs; of a client without limits ${none.toFixed(1)} µs`,
  )
  expect(limited).toBeLessThanOrEqual(MICROS_MAX * SPARE)
  expect(none).toBeLessThanOrEqual((MICROS_MAX * SPARE) / 5)
}, 300_000)
