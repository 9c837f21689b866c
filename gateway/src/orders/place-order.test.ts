import { expect, test, vi } from 'vitest'
import { StoreUnwritableError } from '../store/errors.ts'
import type { JournalStore } from '../store/journal-store.ts'
import { createPlaceOnce, type TradeRequest } from './place-order.ts'

const request: TradeRequest = {
  id: 'second',
  clientRef: 1,
  clientId: 'bot',
  exchange: 'mx',
  method: 'POST',
  endpoint: '/api/mx/v1/submitOrder',
  fingerprint: 'f',
  idempotencyKey: 'k',
}

/** Over a journal that can be written, beside a log that cannot. */
function placing(known: Partial<Awaited<ReturnType<JournalStore['findByKey']>>> | undefined) {
  const admit = vi.fn()
  const work = vi.fn()
  const journal = { findByKey: async () => known, admit } as unknown as JournalStore
  const placeOnce = createPlaceOnce({
    journal,
    reconciler: { findOut: vi.fn(), watch: vi.fn() },
    requireLog: () => Promise.reject(new StoreUnwritableError()),
    toAnswer: vi.fn(),
    onJournalFailure: vi.fn(),
    nowMs: () => 0,
    exchangeNowMs: () => 0,
  })
  return { admit, work, place: () => placeOnce.place(request, work) }
}

test('nothing new is sent while its log row could not be kept', async () => {
  const { admit, work, place } = placing(undefined)
  await expect(place()).rejects.toMatchObject({ code: 'STORE_UNWRITABLE', sent: false })
  expect(admit).not.toHaveBeenCalled()
  expect(work).not.toHaveBeenCalled()
})

test('the answer of a known order is told all the same', async () => {
  const answer = { statusCode: 200, contentType: 'application/json', body: '{"orderId":"42"}' }
  const { work, place } = placing({ id: 'first', fingerprint: 'f', ...answer })
  const placed = await place()
  expect([placed.id, placed.isReplay]).toEqual(['first', true])
  expect(await placed.answer).toEqual(answer)
  expect(work).not.toHaveBeenCalled()
})
