import { mxSubmitOrder } from 'schema'
import type { TestApp } from '../app.ts'

/** A limit order that rests at the price at which the paper exchange begins. */
export const ORDER = {
  ...({ symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT' } as const),
  ...{ quantity: '0.01', price: '50000' },
}

/** Places an order on MEXC by the documented route, with an idempotency key if there is one. */
export const place = (
  { app }: Pick<TestApp, 'app'>,
  { headers }: { readonly headers: Readonly<Record<string, string>> },
  key?: string,
  order: object = ORDER,
) =>
  app.inject({
    ...{ method: 'POST', url: mxSubmitOrder.path, payload: order },
    headers: { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
  })
