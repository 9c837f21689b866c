import { EXCHANGE_NAMES, type ExchangeCode, type TestResult } from 'schema'
import type { UpstreamCall } from '../../exchanges/exchange.ts'
import { type KeyProtocol, keysOf } from '../../exchanges/keys.ts'
import { isRecord } from '../../exchanges/protocol/untrusted.ts'
import type { ApiKeyStore } from '../../store/api-key-store.ts'
import type { ClientStore } from '../../store/client-store.ts'
import type { ExchangeClock } from '../../upstream/clock.ts'
import { createTimings } from '../../upstream/timings.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { ApiKeyNotFoundError, ClientNotFoundError } from './errors.ts'

/** With a larger drift, the exchange rejects some signatures. */
const CLOCK_DRIFT_WARN_MS = 1000

export interface KeyTestServiceDeps {
  readonly clients: Pick<ClientStore, 'findByClientId'>
  readonly apiKeys: Pick<ApiKeyStore, 'find' | 'setTestResult'>
  readonly upstreams: Readonly<Record<ExchangeCode, Pick<Upstream, 'ask'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs'>>>
  readonly nowMs: () => number
}

export interface KeyTestWish {
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly requestId: string
  readonly signal: AbortSignal
}

/** Tests a client's keys with a signed read at the exchange, and stores the result. */
export function createKeyTestService(deps: KeyTestServiceDeps) {
  const { clients, apiKeys, upstreams, clocks, nowMs } = deps

  async function ask(wish: KeyTestWish, clientRef: number) {
    const { exchange } = wish
    const keys = keysOf(exchange)
    try {
      return await askWith(wish, clientRef, keys, keys.check)
    } catch (error) {
      const { otherwise } = keys
      const isOther = isRejection(error) && otherwise?.codes.has(error.exchangeCode) === true
      if (!isOther) throw error
      return askWith(wish, clientRef, keys, otherwise.check)
    }
  }

  function askWith(wish: KeyTestWish, clientRef: number, keys: KeyProtocol, call: UpstreamCall) {
    return upstreams[wish.exchange].ask(
      {
        requestId: wish.requestId,
        method: 'POST',
        endpoint: '/api/admin/test-credentials',
        clientRef,
        clientId: wish.clientId,
        signal: wish.signal,
        byAdmin: true,
        timings: createTimings(),
      },
      call,
      (data) => keys.read(isRecord(data) ? data : {}),
    )
  }

  return {
    /**
     * @throws ClientNotFoundError, ApiKeyNotFoundError, and what prevented the test: a full queue says nothing about
     * the keys
     */
    async test(wish: KeyTestWish): Promise<TestResult> {
      const { clientId, exchange } = wish
      const name = EXCHANGE_NAMES[exchange]
      const client = await clients.findByClientId(clientId)
      if (client === undefined) throw new ClientNotFoundError(clientId)
      const keys = await apiKeys.find(client.id, exchange)
      if (keys === undefined) throw new ApiKeyNotFoundError(name, clientId)

      const remember = (status: 'success' | 'failure', message: string | null) =>
        apiKeys.setTestResult(keys.id, { status, message, testedAtMs: nowMs() })
      const result = { clientId, exchange, clockOffsetMs: null, permissions: [], ipBinding: null }
      try {
        const check = await ask(wish, client.id)
        const clockOffsetMs = clocks[exchange].offsetMs()
        const warnings = [...check.warnings, ...clockWarning(name, clockOffsetMs)]
        await remember('success', warnings.length === 0 ? null : warnings.join(' ').slice(0, 500))
        return {
          ...result,
          success: true,
          testStatus: 'success',
          message: `${name} accepted the keys.`,
          warnings,
          permissions: [...check.permissions],
          ipBinding: check.ipBinding === null ? null : [...check.ipBinding],
          clockOffsetMs,
        }
      } catch (error) {
        if (!saysSomethingAboutKeys(error)) throw error
        await remember('failure', error.message.slice(0, 500))
        return {
          ...result,
          success: false,
          testStatus: 'failure',
          message: error.message,
          warnings: [],
        }
      }
    },
  }
}
export type KeyTestService = ReturnType<typeof createKeyTestService>

function clockWarning(name: string, offsetMs: number): string[] {
  if (Math.abs(offsetMs) <= CLOCK_DRIFT_WARN_MS) return []
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1)
  return [
    `The clock of this machine is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} ${name}'s; requests are signed with ${name}'s time, but correct the clock of this machine.`,
  ]
}

/** True for a rejection by the exchange, and for keys that cannot be opened. */
function saysSomethingAboutKeys(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false
  return isRejection(error) || error.code === 'EXCHANGE_KEYS_UNREADABLE'
}

function isRejection(error: unknown): error is Error & { exchangeCode: string } {
  return error instanceof Error && 'exchangeCode' in error && typeof error.exchangeCode === 'string'
}
