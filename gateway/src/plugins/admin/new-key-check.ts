import type { ExchangeCode, NewApiKey } from 'schema'
import { checkKey, keysOf } from '../../exchanges/keys.ts'
import { isRejectedAs } from '../../exchanges/protocol/rejection.ts'
import type { Time } from '../../time.ts'
import { createTimings } from '../../upstream/request-context.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** How long saving keys waits for the exchange. */
const WAIT_MS = 5_000

export interface NewKeyCheckDeps {
  readonly upstreams: Readonly<Record<ExchangeCode, Pick<Upstream, 'askWithKeys'>>>
  readonly time: Pick<Time, 'setTimeout'>
  /** Another wait, for tests; 0: the exchange is not asked. */
  readonly newKeyWaitMs?: number | undefined
}

export interface NewKeyWish {
  readonly clientRef: number
  readonly requestId: string
  readonly keys: Pick<NewApiKey, 'clientId' | 'exchange' | 'apiKey' | 'apiSecret' | 'passphrase'>
}

/** What the exchange says of keys. */
export interface NewKeyFacts {
  /** Null when it is unknown whether the keys may withdraw. */
  readonly canWithdraw: boolean | null
  /** Why it is unknown. */
  readonly why?: string
  /** As in KeyCheck. */
  readonly accountUid?: string | undefined
}

/** Asks the exchange about keys before they are stored. */
export function createNewKeyCheck({ upstreams, time, newKeyWaitMs = WAIT_MS }: NewKeyCheckDeps) {
  async function ask(
    { clientRef, requestId, keys }: NewKeyWish,
    signal: AbortSignal,
  ): Promise<NewKeyFacts> {
    const { clientId, exchange, apiKey, apiSecret, passphrase = '' } = keys
    const endpoint = '/api/admin/client-api-keys'
    const timings = createTimings()
    const context = { requestId, method: 'POST', endpoint, clientRef, clientId, signal, timings }
    const opened = { apiKey, apiSecret, ...(passphrase === '' ? {} : { passphrase }) }
    const check = (kind: 'unified' | null) =>
      checkKey(keysOf(exchange), kind, (call) =>
        upstreams[exchange].askWithKeys(context, call, opened),
      )
    const { canWithdraw, accountUid } = await check(null).catch((error: unknown) => {
      if (isRejectedAs(error, 'account-kind')) return check('unified')
      throw error
    })
    return canWithdraw === null
      ? { canWithdraw, accountUid, why: 'The exchange does not say it' }
      : { canWithdraw, accountUid }
  }

  return {
    /**
     * What keys may do, and whose they are. It is unknown when the exchange does not say it,
     * rejects the keys, is stopped or down, or takes too long: the keys are stored anyway, and a
     * test finds it out later.
     */
    async factsOf(wish: NewKeyWish): Promise<NewKeyFacts> {
      if (newKeyWaitMs === 0) return { canWithdraw: null, why: 'The exchange was not asked' }
      const tooLate = new AbortController()
      const late = Promise.withResolvers<NewKeyFacts>()
      const timer = time.setTimeout(() => {
        tooLate.abort()
        late.resolve({ canWithdraw: null, why: `No response within ${newKeyWaitMs} ms` })
      }, newKeyWaitMs)
      const asked = ask(wish, tooLate.signal).catch((error: unknown) => ({
        canWithdraw: null,
        why: error instanceof Error ? error.message : String(error),
      }))
      return Promise.race([asked, late.promise]).finally(() => timer.cancel())
    },
  }
}
export type NewKeyCheck = ReturnType<typeof createNewKeyCheck>
