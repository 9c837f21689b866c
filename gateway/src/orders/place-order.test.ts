import { expect, test, vi } from 'vitest'
import { notSent } from '../lane/errors.ts'
import type { Slot } from '../lane/job.ts'
import { NotOwnerError, StoreUnwritableError } from '../store/errors.ts'
import type { JournalStore } from '../store/journal-store.ts'
import { systemTime } from '../time.ts'
import { JournalTooSlowError } from '../upstream/errors.ts'
import { createTimings, type RequestContext } from '../upstream/request-context.ts'
import type { JudgedResponse } from '../upstream/sign-and-send.ts'
import type { SendOptions } from '../upstream/upstream.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import { PlaceOrder, type PlaceOrderDeps } from './place-order.ts'
import { UnknownCancels } from './unknown-cancels.ts'

const request: OrderRequest = {
  ...{ id: 'second', clientRef: 1, clientId: 'bot', exchange: 'mx', method: 'POST' },
  ...{ endpoint: '/api/mx/v1/submitOrder', fingerprint: 'f', idempotencyKey: 'k' },
  jobClass: 'order',
}
const context: RequestContext = {
  ...{ requestId: 'second', method: 'POST', endpoint: request.endpoint },
  ...{ clientRef: 1, clientId: 'bot', timings: createTimings() },
}

/** An order service with a journal that can be written and a log that cannot. */
function placing(
  known: Partial<Awaited<ReturnType<JournalStore['findByKey']>>> | undefined,
  { markSent, ...more }: Partial<PlaceOrderDeps & Pick<JournalStore, 'markSent'>> = {},
) {
  const admit = vi.fn()
  const build = vi.fn(async () => ({ call: { family: 'mexc-futures' }, order: undefined }))
  const [markUnknown, settle] = [vi.fn(async () => {}), vi.fn(async () => {})]
  const handOver = vi.fn<JournalStore['handOver']>(async () => {})
  const markQueued = vi.fn(async () => {})
  const journal = {
    ...{ findByKey: async () => known, admit, markSent, markUnknown, settle, handOver, markQueued },
  } as unknown as JournalStore
  const placeOrder = new PlaceOrder({
    journal,
    reconciler: { findOut: vi.fn(), watch: vi.fn(), replace: vi.fn() },
    unknownCancels: new UnknownCancels(),
    lostOrders: { find: vi.fn() },
    handedOver: { end: vi.fn() },
    workingOrders: { sending: vi.fn(), ended: vi.fn(), written: vi.fn(), neverKnown: vi.fn() },
    upstreams: {} as PlaceOrderDeps['upstreams'],
    requireRoom: () => {},
    requireLog: () => Promise.reject(new StoreUnwritableError()),
    limits: {
      ...{ admit: vi.fn(), forget: vi.fn(), recheck: vi.fn(), sending: () => null },
      inMode: (orderCall) => orderCall,
    },
    owners: { refusalOf: async () => undefined },
    wholeCloses: { refusalOf: async () => undefined },
    positionModes: { positionOf: async () => undefined },
    pendingOutcomes: {
      ...{ errorFor: async () => undefined, unknown: vi.fn(), callersGone: vi.fn() },
      forget: vi.fn(),
    },
    clientOrderIds: {
      ...{ firstOf: async () => undefined, sending: vi.fn(), callersGone: vi.fn() },
      forget: vi.fn(),
    },
    cancelInstead: async () => undefined,
    toErrorResponse: vi.fn(),
    events: { emit: vi.fn() },
    time: systemTime,
    nowMs: () => 0,
    exchangeNowMs: () => 0,
    fence: () => undefined,
    ...more,
  })
  const steps: OrderSteps<unknown> = {
    raw: false,
    build: build as unknown as OrderSteps<unknown>['build'],
    ...{ read: vi.fn(), fromFound: vi.fn(), respond: vi.fn() },
  }
  const place = (more: Partial<OrderRequest> = {}) =>
    placeOrder.place({ ...request, ...more }, context, steps)
  return { admit, build, handOver, settle, journal, place }
}

test('nothing new is sent while its log row could not be kept', async () => {
  const { admit, build, place } = placing(undefined)
  await expect(place()).rejects.toMatchObject({ code: 'STORE_UNWRITABLE', sent: false })
  expect(admit).not.toHaveBeenCalled()
  expect(build).not.toHaveBeenCalled()
})

test('the response of a known order is given although nothing can be written', async () => {
  const response = { statusCode: 200, contentType: 'application/json', body: '{"orderId":"42"}' }
  const { build, place } = placing({ id: 'first', fingerprint: 'f', ...response })
  const placed = await place()
  expect([placed.id, placed.isReplay]).toEqual(['first', true])
  expect(await placed.response).toEqual(response)
  expect(build).not.toHaveBeenCalled()
})

test('in a group an order is marked as sent under the fence, with the time that is signed', async () => {
  const clock = { ms: 1_000 }
  const markSent = vi.fn(async () => {
    clock.ms += 40
  })
  const signAndSend = vi.fn().mockRejectedValue(new Error('not of interest here'))
  const { place } = inSlot(markSent, signAndSend, { exchangeNowMs: () => clock.ms })
  await expect((await place()).response).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  const marked = expect.objectContaining({ fence: 3, sentAtMs: 1_000 })
  expect(markSent).toHaveBeenCalledWith('second', marked)
  expect(signAndSend.mock.calls[0]?.at(-1)).toMatchObject({ exchangeTimeMs: 1_000 })
})

/** An order in its slot, whose mark and whose sending end as given. */
function inSlot(
  markSent: () => Promise<void>,
  signAndSend: () => Promise<never>,
  {
    attempts = 1,
    after,
    ...more
  }: { attempts?: number; after?: () => Promise<never> } & Partial<PlaceOrderDeps> = {},
) {
  const slot = { queueWaitMs: 0 }
  const upstream = {
    ...{ name: 'MEXC', openKeys: async () => ({ id: 7 }), signAndSend },
    async send(_: unknown, _call: unknown, { inSlot }: SendOptions) {
      for (let made = 1; made < attempts; made += 1)
        await inSlot?.(slot as Slot, context).catch(() => {})
      const judged = await inSlot?.(slot as Slot, context)
      return after === undefined ? judged : after()
    },
  }
  const placed = placing(undefined, {
    ...{ fence: () => 3, upstreams: { mx: upstream } as unknown as PlaceOrderDeps['upstreams'] },
    toErrorResponse: () => ({ statusCode: 503, contentType: 'application/json', body: '{}' }),
    ...{ requireLog: async () => {}, markSent, ...more },
  })
  placed.admit.mockResolvedValue(undefined)
  return placed
}

const notOwner = () => Promise.reject(notSent(new NotOwnerError()))

const handedOver = { code: 'NOT_OWNER', sent: false, handedOver: 'second' }

const turnedAway = {
  ...{ response: { status: 429, upstreamMs: 1 }, verdict: { kind: 'rate-limited' } },
} as unknown as JudgedResponse

test.each<[what: string, from: object, attempts: number, mark: () => Promise<void>]>([
  [
    'that an old fence may not mark',
    ...([{ from: 'queued' }, 1, () => Promise.reject(new NotOwnerError())] as const),
  ],
  [
    'that was marked as sent and kept back before its first byte',
    ...([{ from: 'sent', fence: 3, sentAtMs: null }, 1, async () => {}] as const),
  ],
  [
    'of which the exchange turned an attempt away, with the time of that attempt',
    ...([{ from: 'sent', sentAtMs: 0 }, 2, async () => {}] as const),
  ],
])('an order %s is handed over to the next owner', async (_, from, attempts, mark) => {
  const signAndSend = vi.fn().mockImplementation(notOwner)
  if (attempts === 2) signAndSend.mockResolvedValueOnce(turnedAway)
  const { place, handOver, settle } = inSlot(mark, signAndSend, { attempts })
  const { response } = await place()
  await expect(response).rejects.toMatchObject(handedOver)
  expect(handOver).toHaveBeenCalledWith('second', expect.objectContaining(from))
  expect(settle).not.toHaveBeenCalled()
})

test('an order that cannot be handed over ends as not sent', async () => {
  const { place, handOver, settle } = inSlot(async () => {}, notOwner)
  handOver.mockRejectedValue(new StoreUnwritableError())
  const { response } = await place()
  await expect(response).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE', sent: false })
  expect(settle).toHaveBeenCalledWith('second', expect.objectContaining({ state: 'dropped' }))
})

test('an order whose time is too old once it is marked is marked again with a new one, as if it were the first', async () => {
  const clock = { ms: 1_000 }
  const markSent = vi.fn(async () => {
    clock.ms += 1_500
  })
  const tooSlow = () => Promise.reject(notSent(new JournalTooSlowError(1_500)))
  const signAndSend = vi.fn().mockImplementationOnce(tooSlow).mockImplementation(notOwner)
  const options = { attempts: 2, exchangeNowMs: () => clock.ms }
  const { place, handOver, settle } = inSlot(markSent, signAndSend, options)
  const { response } = await place()
  await expect(response).rejects.toMatchObject(handedOver)
  const marks = [1_000, 2_500].map((sentAtMs) => [
    'second',
    expect.objectContaining({ sentAtMs, fence: 3 }),
  ])
  expect(markSent.mock.calls).toEqual(marks)
  expect(signAndSend.mock.lastCall?.at(-1)).toMatchObject({ exchangeTimeMs: 2_500 })
  const expected = expect.objectContaining({ from: 'sent', sentAtMs: null })
  expect(handOver).toHaveBeenCalledWith('second', expected)
  expect(settle).not.toHaveBeenCalled()
})

test('an order that was sent is not handed over when something after its response needs the owner', async () => {
  const answered = { response: { status: 200, upstreamMs: 1 }, verdict: { kind: 'ok' } }
  const signAndSend = vi.fn().mockResolvedValue(answered)
  const { place, handOver, settle } = inSlot(async () => {}, signAndSend, { after: notOwner })
  const { response } = await place()
  await expect(response).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(handOver).not.toHaveBeenCalled()
  expect(settle).not.toHaveBeenCalled()
})

test('orders of a client are entered as they came, whichever read ends first; its cancels overtake', async () => {
  const { admit, journal, place } = placing(undefined, { requireLog: async () => {} })
  const reads = new Map(['a', 'b', 'c'].map((key) => [key, Promise.withResolvers<undefined>()]))
  journal.findByKey = (_, key) => reads.get(key)?.promise ?? Promise.resolve(undefined)
  admit.mockRejectedValue(new Error('not of interest here'))
  const read = async (key: string) => {
    reads.get(key)?.resolve(undefined)
    await new Promise(setImmediate)
    return admit.mock.calls.map(([{ id }]) => id)
  }
  const placed = [
    ...[place({ id: 'a', idempotencyKey: 'a' }), place({ id: 'b', idempotencyKey: 'b' })],
    ...[place({ id: 'none', idempotencyKey: null }), place({ id: 'c', idempotencyKey: 'c' })],
    ...[place({ id: 'other', clientRef: 2 }), place({ id: 'cancel', jobClass: 'cancel' })],
  ].map((each) => each.catch(() => {}))
  expect(await read('c')).toEqual(['other', 'cancel'])
  expect(await read('b')).toEqual(['other', 'cancel'])
  expect(await read('a')).toEqual(['other', 'cancel', 'a', 'b', 'none', 'c'])
  await Promise.all(placed)
})
