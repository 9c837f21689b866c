import { priceCall, readPrice } from '../exchanges/symbol-price.ts'
import { passOverDamage } from '../store/failures.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import { Limits, type LimitsDeps } from './limits.ts'
import { Prices } from './prices.ts'

export interface CreateLimitsDeps
  extends Omit<LimitsDeps, 'prices' | 'rules'>,
    Pick<Upstreams, 'upstreams' | 'rules'> {
  readonly monotonicMs: () => number
}

/** Creates the limits of clients, with what their orders of the last 24 hours are worth. */
export async function createLimits(deps: CreateLimitsDeps): Promise<Limits> {
  const { upstreams, monotonicMs } = deps
  const prices = new Prices({
    fetch: async (key, onSent) => {
      const call = priceCall(key)
      if (call === undefined) return undefined
      return readPrice(key, (await upstreams[key.exchange].sendOwn(call, onSent)).verdict)
    },
    nowMs: monotonicMs,
  })
  const limits = new Limits({ ...deps, prices })
  await limits.restore().catch(passOverDamage)
  return limits
}
