import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import {
  CallerGoneError,
  ClientQueueShareExceededError,
  inSeconds,
  notSent,
  QueueDeadlinePassedError,
} from '../lane/errors.ts'
import type { ClientRow, ClientStore } from '../store/client-store.ts'
import { hasExpired } from '../store/client-store.ts'
import type { Time } from '../time.ts'
import type { ClientKeys } from './client-keys.ts'
import {
  AccountSharedError,
  ClientExpiredError,
  ClientSwitchedOffError,
  PermissionWithdrawnError,
} from './errors.ts'
import type { Events } from './events.ts'
import { addQueueMs, type RequestContext } from './request-context.ts'

export interface QueueWaitOptions {
  /** The exchange's name in messages to callers. */
  readonly name: string
  /** How long all calls of a request may wait in the queue, together. */
  readonly maxQueueWaitMs: number
  /** How many requests of one client may wait for their turn before they are queued. */
  readonly clientWaitingMax: number
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
}

/**
 * How long requests may wait. Those that wait before they are queued do so under the queue's own
 * rules: the wait is limited, and a hang-up ends it.
 */
export class QueueWait {
  readonly #options: QueueWaitOptions
  readonly #waiting = new Map<number, number>()

  constructor(options: QueueWaitOptions) {
    this.#options = options
  }

  /** How much longer a request may wait. @throws QueueDeadlinePassedError */
  leftMs({ maxWaitMs, timings }: Pick<RequestContext, 'maxWaitMs' | 'timings'>): number {
    const { maxQueueWaitMs } = this.#options
    if (maxWaitMs === Number.POSITIVE_INFINITY) return maxQueueWaitMs
    const leftMs = Math.min(maxWaitMs ?? maxQueueWaitMs, maxQueueWaitMs) - (timings.queueMs ?? 0)
    if (leftMs >= 0) return leftMs
    throw this.#tooLate(maxWaitMs)
  }

  /**
   * Waits for a turn among the orders of one client. `turn` must not reject. The wait counts as
   * queue time: an order must not be sent later than the limit that its bot set.
   * @throws ClientQueueShareExceededError, CallerGoneError, QueueDeadlinePassedError
   */
  async forTurn(
    turn: Promise<unknown>,
    context: Pick<RequestContext, 'clientRef' | 'signal' | 'maxWaitMs' | 'timings'>,
  ): Promise<void> {
    const { time } = this.#options
    const startedAtMs = time.monotonic()
    const leftMs = this.leftMs(context)
    try {
      await this.#wait(turn, context, leftMs)
    } finally {
      addQueueMs(context.timings, time.monotonic() - startedAtMs)
    }
  }

  async #wait(
    turn: Promise<unknown>,
    { clientRef, signal, maxWaitMs }: Pick<RequestContext, 'clientRef' | 'signal' | 'maxWaitMs'>,
    leftMs: number,
  ): Promise<void> {
    const { name, clientWaitingMax, time } = this.#options
    const count = this.#waiting.get(clientRef) ?? 0
    if (count >= clientWaitingMax) throw notSent(new ClientQueueShareExceededError(count, name))
    if (signal?.aborted) throw notSent(new CallerGoneError())
    this.#waiting.set(clientRef, count + 1)
    const { promise: ended, resolve } = Promise.withResolvers<Error>()
    const onHangUp = () => resolve(notSent(new CallerGoneError()))
    signal?.addEventListener('abort', onHangUp, { once: true })
    const timer = time.setTimeout(() => resolve(this.#tooLate(maxWaitMs)), leftMs)
    const end = await Promise.race([turn, ended])
    timer.cancel()
    signal?.removeEventListener('abort', onHangUp)
    this.#leave(clientRef)
    if (end instanceof Error) throw end
  }

  #leave(clientRef: number): void {
    const left = (this.#waiting.get(clientRef) ?? 1) - 1
    if (left === 0) this.#waiting.delete(clientRef)
    else this.#waiting.set(clientRef, left)
  }

  #tooLate(maxWaitMs = this.#options.maxQueueWaitMs): Error {
    const limitMs = Math.min(maxWaitMs, this.#options.maxQueueWaitMs)
    return notSent(new QueueDeadlinePassedError(this.#options.name, inSeconds(limitMs)))
  }
}

interface LateCheckDeps {
  readonly exchange: ExchangeCode
  readonly clients: Pick<ClientStore, 'find'>
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf'>
  readonly events: Pick<Events, 'emit'>
  readonly time: Pick<Time, 'now'>
}

/** Checks what can change while a request waits: the client, and who shares its keys. */
export class LateCheck {
  readonly #deps: LateCheckDeps

  constructor(deps: LateCheckDeps) {
    this.#deps = deps
  }

  /** Why a call must not be sent, asked just before it is; undefined when it may. */
  async errorOf(context: RequestContext, call: UpstreamCall): Promise<undefined | Error> {
    const { clientRef, permission, readSinceMs } = context
    const client = await this.#deps.clients.find(clientRef, readSinceMs)
    if (client?.active !== true) return new ClientSwitchedOffError()
    const expired = this.#expiredError(client, context)
    if (expired !== undefined) return expired
    if (permission !== undefined && !client.permissions.includes(permission))
      return new PermissionWithdrawnError(permission)
    return this.reachError(context, call)
  }

  /**
   * The error of a client that expired while its request waited. The mode `shadow` records nothing
   * here: a client that had expired before was recorded when its request came.
   */
  #expiredError({ clientId, limits }: ClientRow, { endpoint }: RequestContext): undefined | Error {
    const { exchange, events, time } = this.#deps
    if (limits?.mode !== 'enforce' || !hasExpired(limits, time.now())) return undefined
    const code = 'CLIENT_EXPIRED'
    events.emit('limitReached', { code, clientId, exchange, mode: 'enforce', endpoint })
    return notSent(new ClientExpiredError(limits.expiresAt ?? ''))
  }

  /** The error of a call that would reach what other clients with the same key opened. */
  async reachError(
    { clientRef }: Pick<RequestContext, 'clientRef'>,
    { isAccountWide = false }: UpstreamCall,
  ): Promise<undefined | AccountSharedError> {
    const { exchange, keys } = this.#deps
    if (!isAccountWide) return undefined
    const others = await keys.othersWithKeyOf(clientRef, exchange)
    return others.length === 0 ? undefined : new AccountSharedError(EXCHANGE_NAMES[exchange])
  }
}
