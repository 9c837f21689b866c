import { expect, test, vi } from 'vitest'
import { notSent } from '../lane/errors.ts'
import type { Slot } from '../lane/job.ts'
import { NotOwnerError, StoreUnwritableError } from '../store/errors.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { createTimings } from '../upstream/timings.ts'
import type { SendOptions } from '../upstream/upstream.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import { PlaceOrder, type PlaceOrderDeps } from './place-order.ts'

const request: OrderRequest = {
  id: 'second',
  clientRef: 1,
  clientId: 'bot',
  exchange: 'mx',
  method: 'POST',
  endpoint: '/api/mx/v1/submitOrder',
  fingerprint: 'f',
  idempotencyKey: 'k',
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
  const build = vi.fn(async () => ({ call: {}, order: undefined }))
  const [markUnknown, settle] = [vi.fn(async () => {}), vi.fn(async () => {})]
  const handOver = vi.fn(async () => {})
  const journal = {
    ...{ findByKey: async () => known, admit, markSent, markUnknown, settle, handOver },
  } as unknown as JournalStore
  const placeOrder = new PlaceOrder({
    journal,
    reconciler: { findOut: vi.fn(), watch: vi.fn() },
    lostOrders: { find: vi.fn() },
    workingOrders: { sending: vi.fn(), ended: vi.fn() },
    upstreams: {} as PlaceOrderDeps['upstreams'],
    requireRoom: () => {},
    requireLog: () => Promise.reject(new StoreUnwritableError()),
    limits: { admit: vi.fn(), forget: vi.fn(), recheck: vi.fn(), sending: () => null },
    toErrorResponse: vi.fn(),
    events: { emit: vi.fn() },
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
  return { admit, build, handOver, settle, place: () => placeOrder.place(request, context, steps) }
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
  const slot = { queueWaitMs: 0 }
  const upstream = {
    ...{ name: 'MEXC', openKeys: async () => ({ id: 7 }), signAndSend },
    send: (_: unknown, _call: unknown, { inSlot }: SendOptions) => inSlot?.(slot as Slot),
  }
  const { place, admit } = placing(undefined, {
    upstreams: { mx: upstream } as unknown as PlaceOrderDeps['upstreams'],
    requireLog: async () => {},
    exchangeNowMs: () => clock.ms,
    fence: () => 3,
    markSent,
  })
  admit.mockResolvedValue(undefined)
  await expect((await place()).response).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(markSent).toHaveBeenCalledWith(
    'second',
    expect.objectContaining({ fence: 3, sentAtMs: 1_000 }),
  )
  expect(signAndSend.mock.calls[0]?.at(-1)).toMatchObject({ exchangeTimeMs: 1_000 })
})

/** An order in its slot, whose mark and whose sending end as given. */
function inSlot(markSent: () => Promise<void>, signAndSend: () => Promise<never>) {
  const slot = { queueWaitMs: 0 }
  const upstream = {
    ...{ name: 'MEXC', openKeys: async () => ({ id: 7 }), signAndSend },
    send: (_: unknown, _call: unknown, { inSlot }: SendOptions) => inSlot?.(slot as Slot),
  }
  const placed = placing(undefined, {
    upstreams: { mx: upstream } as unknown as PlaceOrderDeps['upstreams'],
    toErrorResponse: () => ({ statusCode: 503, contentType: 'application/json', body: '{}' }),
    requireLog: async () => {},
    markSent,
  })
  placed.admit.mockResolvedValue(undefined)
  return placed
}

const notOwner = () => Promise.reject(notSent(new NotOwnerError()))

test('an order that an old fence may not mark leaves the journal, so that the next owner gets it', async () => {
  const { place, handOver, settle } = inSlot(() => Promise.reject(new NotOwnerError()), vi.fn())
  const { response } = await place()
  await expect(response).rejects.toMatchObject({ code: 'NOT_OWNER', sent: false })
  expect(handOver).toHaveBeenCalledWith('second')
  expect(settle).not.toHaveBeenCalled()
})

test('an order that was marked as sent is not handed over; it ends as not sent', async () => {
  const { place, handOver, settle } = inSlot(async () => {}, notOwner)
  const { response } = await place()
  await expect(response).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE', sent: false })
  expect(handOver).not.toHaveBeenCalled()
  expect(settle).toHaveBeenCalledWith('second', expect.objectContaining({ state: 'dropped' }))
})

test('an order that cannot leave the journal ends there as not sent', async () => {
  const { place, handOver } = inSlot(notOwner, vi.fn())
  handOver.mockRejectedValue(new StoreUnwritableError())
  const { response } = await place()
  await expect(response).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE', sent: false })
})
