import type { JournalOrder, OrderLife } from 'schema'

const ID = '0197f7a2-6f3a-7b1e-8c55-2f1f0c7e9a10'
/** Milliseconds after the order was received. */
const at = (ms: number) => new Date(Date.parse('2026-03-05T13:30:22.000Z') + ms).toISOString()

/** An order as a list has it. */
export function orderOf(changes: Partial<JournalOrder> = {}): JournalOrder {
  return {
    ...{ id: ID, exchange: 'mx', clientId: 'client_1772721022000_k3v9x2m4q', method: 'POST' },
    ...{ endpoint: '/api/mx/v1/submitOrder', clientOrderId: 'grid-7-42' },
    ...{ orderId: '739113577038255616', state: 'resolved', lookups: 2, tries: null },
    ...{ symbol: 'BTC_USDT', side: 'buy', type: 'limit', quantity: '10', price: '60000' },
    ...{ amount: null, filled: null, averagePrice: null, value: null, source: 'documented' },
    mayBeOpen: false,
    canBeLookedUp: true,
    ...{ createdAt: at(0), sentAt: at(21_510), settledAt: at(52_400) },
    ...changes,
  }
}

/** An order that waited behind others, whose response was lost, and that a stop cancelled. */
export function lifeOf(changes: Partial<OrderLife> = {}): OrderLife {
  return {
    ...orderOf(),
    ...{ clientRow: 7, idempotencyKey: 'grid 7, level 42', refusal: null, logIds: [4711] },
    keys: { note: 'main account', isStored: true },
    events: [
      { at: at(0), type: 'received' },
      { at: at(1), type: 'checked' },
      { at: at(1), type: 'queued', ahead: 42, waiting: { cancel: 2, order: 61 }, own: 3 },
      { at: at(21_500), type: 'slot', waitedMs: 21_499 },
      { at: at(21_510), type: 'signed', exchangeTime: at(21_384) },
      { at: at(21_511), type: 'sent' },
      { at: at(51_511), type: 'unknown', why: 'MEXC did not respond within 30 s' },
      {
        ...{ at: at(52_020), type: 'lookup', found: 'unclear' },
        where: 'GET /api/v1/private/order/external/BTC_USDT/grid-7-42',
      },
      {
        ...{ at: at(52_390), type: 'lookup', found: 'found', orderState: 'open' },
        where: 'GET /api/v1/private/order/external/BTC_USDT/grid-7-42',
      },
      { at: at(52_400), type: 'settled', state: 'resolved', status: 200 },
      { at: at(52_402), type: 'responded', status: 200, tookMs: 52_404 },
      {
        ...{ at: at(600_000), type: 'related', requestId: 'r-2', endpoint: '/api/admin/stop' },
        ...{ reason: 'no heartbeat for 30 s', state: 'answered' },
      },
    ],
    response: {
      ...{ statusCode: 200, contentType: 'application/json; charset=utf-8' },
      body: '{"success":true,"orderId":739113577038255616,"price":"50000.10"}',
    },
    ...changes,
  }
}
