import { expect, test } from 'vitest'
import {
  cancelFuturesOrderCall,
  cancelSpotOrderCall,
  modifyOrderCall,
} from '../../src/exchanges/bitget/classic/documented.ts'
import type { Family, UpstreamCall } from '../../src/exchanges/exchange.ts'
import { cancelOrderCall as cancelFutures } from '../../src/exchanges/mexc-futures/documented.ts'
import { cancelOrderCall as cancelSpot } from '../../src/exchanges/mexc-spot/documented.ts'
import type { FoundOrder, Lookup, OrderKey } from '../../src/exchanges/order-lookup/order-key.ts'
import { outcomeOf } from '../../src/exchanges/order-lookup/order-key.ts'
import { foundResponseFor } from '../../src/exchanges/order-lookups.ts'
import { parseLossless } from '../../src/exchanges/protocol/lossless.ts'
import { isRecord } from '../../src/exchanges/protocol/untrusted.ts'
import { eventually } from '../support/eventually.ts'
import { lookupsOf, readOrderKey, withClientOrderId } from '../support/exchange-orders.ts'
import { createPaperSession } from './paper-session.ts'

type Finding = ReturnType<Lookup['read']>
type PaperSession = Awaited<ReturnType<typeof createPaperSession>>

const placing = (family: Family, path: string, sent: { query: string } | { body: string }) => ({
  ...{ method: 'POST' as const, query: '', body: null, signed: true, family, path, ...sent },
})

/**
 * Orders as a bot writes them itself, without an id of its own: 0.01 BTC for 50,000, which rests.
 */
const orders: Record<string, UpstreamCall> = {
  'MEXC spot': placing('mexc-spot', '/api/v3/order', {
    query: 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000',
  }),
  'MEXC futures': placing('mexc-futures', '/api/v1/private/order/create', {
    body: '{"price":50000, "vol":100,"symbol":"BTC_USDT","side":1,"type":1,"openType":2}',
  }),
  'Bitget spot': placing('bitget', '/api/v2/spot/trade/place-order', {
    body: '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"GTC","price":"50000","size":"0.01"}',
  }),
  'Bitget futures': placing('bitget', '/api/v2/mix/order/place-order', {
    body: `{"symbol":"BTCUSDT","productType":"usdt-futures","marginCoin":"USDT","marginMode":"crossed",
      "side":"buy","orderType":"limit","price":"50000","size":"0.01"}`,
  }),
}
const routes = Object.entries(orders)

/**
 * What each place says, in turn, of an order that rests, that has traded in part, and that is
 * filled.
 */
const seen: Record<string, Record<'resting' | 'partly' | 'filled', string>> = {
  'MEXC spot': { resting: 'open open open', partly: 'part part part', filled: 'filled - filled' },
  'MEXC futures': { resting: 'open open -', partly: 'part part -', filled: 'filled - filled' },
  'Bitget spot': { resting: 'open open -', partly: 'part part -', filled: 'filled - filled' },
  'Bitget futures': {
    ...{ resting: 'open open - -', partly: 'part - part -', filled: 'filled - - filled' },
  },
}
const WORDS: Readonly<Record<string, string>> = { absent: '-', 'partially-filled': 'part' }
const wordsOf = (findings: readonly Finding[]) =>
  findings.map((finding) => WORDS[stateOf(finding)] ?? stateOf(finding)).join(' ')

function keyOf(placed: UpstreamCall): OrderKey {
  const key = readOrderKey(placed)
  if (key === undefined) throw new Error(`${placed.path} has no key`)
  return key
}

/** Sends a call whose response never comes; its error is awaited when the connection is gone. */
function lose(
  { exchange, verdictOf }: PaperSession,
  lost: UpstreamCall,
  kind: 'reset-before' | 'reset-after' | 'timeout-after',
) {
  exchange.faults.add({ kind, match: { path: lost.path } })
  return verdictOf(lost).catch((error: unknown) => error)
}

async function askAll(
  { clock, verdictOf }: PaperSession,
  lost: UpstreamCall,
  sentAtMs: number,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const lookup of lookupsOf(keyOf(lost), sentAtMs, clock.nowMs())) {
    findings.push(lookup.read(await verdictOf(lookup.call)))
  }
  return findings
}

/** A session that knows the clock of the exchange. */
async function measured(family: Family): Promise<PaperSession> {
  const session = await createPaperSession()
  await session.measure(family)
  return session
}

const stateOf = (finding: Finding) => (typeof finding === 'string' ? finding : finding.state)

function firstFound(findings: readonly Finding[]): FoundOrder {
  const found = findings.find((finding) => typeof finding === 'object')
  if (found === undefined) throw new Error('It was not found')
  return found
}

/** The names in a response, at every depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (!isRecord(value)) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]))
}

const lostResponses = routes.flatMap(([route, order]) =>
  (['reset-after', 'timeout-after'] as const).map((kind) => [route, kind, order] as const),
)

test.each(lostResponses)(
  '%s, %s: the order is found in every list where it may be',
  async (route, kind, order) => {
    const session = await measured(order.family)
    const { exchange, clock } = session
    const named = withClientOrderId(order, 'sl-found')
    const sentAtMs = clock.nowMs()
    const failure = lose(session, named, kind)
    await expect.poll(() => exchange.orders()).toHaveLength(1)
    const stages: Record<string, Finding[]> = {}
    stages.resting = await askAll(session, named, sentAtMs)
    exchange.setPrice('BTCUSDT', '49000', '0.004')
    exchange.tick()
    stages.partly = await askAll(session, named, sentAtMs)
    exchange.setPrice('BTCUSDT', '49000')
    exchange.tick()
    stages.filled = await askAll(session, named, sentAtMs)

    const states = Object.entries(stages).map(([stage, findings]) => [stage, wordsOf(findings)])
    expect(Object.fromEntries(states)).toEqual(seen[route])
    const ids = Object.values(stages)
      .flat()
      .flatMap((finding) => (typeof finding === 'string' ? [] : finding.orderId))
    expect(ids.every((id) => exchange.orders().some((placed) => id.endsWith(placed.orderId)))).toBe(
      true,
    )
    for (const findings of Object.values(stages)) {
      expect(firstFound(findings).clientOrderId).toBe('sl-found')
      expect(outcomeOf(keyOf(named), firstFound(findings))).toBe('done')
    }
    expect(Number(firstFound(stages.partly).filledSize)).toBe(route === 'MEXC futures' ? 40 : 0.004)
    await exchange.close()
    expect(await failure).toMatchObject({ sent: true })
  },
)

test.each(routes)('%s: an order that never arrived is in no list', async (route, order) => {
  const session = await measured(order.family)
  const { exchange, clock } = session
  const named = withClientOrderId(order, 'sl-lost')
  await session.ask(withClientOrderId(order, 'sl-other'))
  const sentAtMs = clock.nowMs()
  expect(await lose(session, named, 'reset-before')).toMatchObject({ sent: true })
  expect(exchange.orders()).toHaveLength(1)
  const findings = await askAll(session, named, sentAtMs)
  expect(wordsOf(findings)).toBe(seen[route]?.resting.replaceAll('open', '-'))
})

test.each(routes)(
  '%s: an earlier order with the same id is not taken for the lost one',
  async (_route, order) => {
    const session = await measured(order.family)
    const { clock, ask } = session
    const named = withClientOrderId(order, 'sl-again')
    await ask(named)
    const findings = await askAll(session, named, clock.nowMs() + 120_000)
    expect(new Set(findings)).toEqual(new Set(['absent']))
  },
)

test.each(routes)(
  '%s: the response that is made has the shape of the one that was lost',
  async (_route, order) => {
    const session = await measured(order.family)
    const { clock, verdictOf } = session
    const sentAtMs = clock.nowMs()
    const named = withClientOrderId(order, 'sl-shape')
    const verdict = await verdictOf(named)
    const found = firstFound(await askAll(session, named, sentAtMs))
    const made = parseLossless(foundResponseFor(keyOf(named), [found], clock.nowMs()).body)?.value
    const isEnvelope = order.family !== 'mexc-spot'
    const data = isEnvelope && isRecord(made) ? made.data : made
    expect(verdict.kind === 'ok' && shapeOf(verdict.data)).toEqual(shapeOf(data))
    expect(data).toMatchObject({ orderId: found.orderId })
  },
)

type Ref = { readonly orderId: string } | { readonly own: string }
const mexcRef = (ref: Ref) => ('own' in ref ? { clientOrderId: ref.own } : ref)
const bitgetRef = (ref: Ref) => ('own' in ref ? { clientOid: ref.own } : ref)

/** Each cancels the order that is meant, by the exchange's id or by the bot's own. */
const cancels: Record<string, (ref: Ref) => UpstreamCall> = {
  'MEXC spot': (ref) => cancelSpot({ symbol: 'BTCUSDT', ...mexcRef(ref) }).call,
  'MEXC futures': (ref) => cancelFutures({ symbol: 'BTC_USDT', ...mexcRef(ref) }).call,
  'Bitget spot': (ref) => cancelSpotOrderCall({ symbol: 'BTCUSDT', ...bitgetRef(ref) }).call,
  'Bitget futures': (ref) => cancelFuturesOrderCall({ symbol: 'BTCUSDT', ...bitgetRef(ref) }).call,
}

test.each(routes)(
  '%s: the outcome of a lost cancel is read from its order',
  async (route, order) => {
    const session = await measured(order.family)
    const { clock, ask } = session
    const cancelOf = cancels[route]
    if (cancelOf === undefined) throw new Error(route)
    const named = withClientOrderId(order, 'sl-cancelled')
    await ask(named)
    const { orderId } = firstFound(await askAll(session, named, clock.nowMs()))
    for (const id of [{ orderId }, { own: 'sl-cancelled' }]) {
      const cancel = cancelOf(id)
      await lose(session, cancel, 'reset-before')
      const found = firstFound(await askAll(session, cancel, clock.nowMs()))
      expect([found.orderId, outcomeOf(keyOf(cancel), found)]).toEqual([orderId, 'not-done'])
    }
    await lose(session, cancelOf({ orderId }), 'reset-after')
    for (const id of [{ orderId }, { own: 'sl-cancelled' }]) {
      const cancel = cancelOf(id)
      const findings = await askAll(session, cancel, clock.nowMs())
      expect(wordsOf(findings)).toBe(seen[route]?.filled.replaceAll('filled', 'cancelled'))
      const found = firstFound(findings)
      expect([found.orderId, outcomeOf(keyOf(cancel), found)]).toEqual([orderId, 'done'])
    }
  },
)

test('a lost change of a Bitget order is found by its new id as soon as the exchange has made it', async () => {
  const session = await measured('bitget')
  const { clock, ask } = session
  const order = orders['Bitget futures']
  if (order === undefined) throw new Error('No order')
  await ask(withClientOrderId(order, 'sl-old'))
  const change = modifyOrderCall(
    { symbol: 'BTCUSDT', clientOid: 'sl-old', newSize: '0.02', newPrice: '49000' },
    'sl-new',
  ).call
  const sentAtMs = clock.nowMs()
  await lose(session, change, 'reset-after')
  // Each place is another question: the exchange may make the change between two of them.
  const findings = await eventually(async () => {
    const all = await askAll(session, change, sentAtMs)
    expect(wordsOf(all)).toBe('open open - -')
    return all
  }, 300)
  expect(firstFound(findings).clientOrderId).toBe('sl-new')
  expect(outcomeOf(keyOf(change), firstFound(findings))).toBe('done')
})
