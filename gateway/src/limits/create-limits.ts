import { priceCall, readPrice } from '../exchanges/symbol-price.ts'
import type { Time } from '../time.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import { Limits, type LimitsDeps } from './limits.ts'
import { Prices } from './prices.ts'

export interface CreateLimitsDeps
  extends Omit<LimitsDeps, 'prices' | 'rules'>,
    Pick<Upstreams, 'upstreams' | 'rules'> {
  readonly time: Time
}

/** Creates the limits of clients. Call `restore` before the first order. */
export function createLimits(deps: CreateLimitsDeps): Limits {
  const { upstreams, time } = deps
  const prices = new Prices({
    fetch: async (key, onSent, jobClass) => {
      const call = priceCall(key)
      if (call === undefined) return undefined
      const upstream = upstreams[key.exchange]
      return readPrice(key, (await upstream.sendOwn(call, onSent, false, jobClass)).verdict)
    },
    time,
  })
  return new Limits({ ...deps, prices })
}
