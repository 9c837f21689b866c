import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import { sizedCloseOf } from '../exchanges/account-wide.ts'
import type { OrderEffect } from '../exchanges/call-effect.ts'
import { effectsOf } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { OrderCall } from '../exchanges/order-lookup/order-key.ts'
import { placeNameOf, positionPlaceOf } from '../exchanges/position-part.ts'
import type { OwnQuantities } from '../limits/exits.ts'
import { FillQuestions, type WaitingRequest } from '../limits/questions.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { Events } from '../upstream/events.ts'
import { PositionSharedError } from './errors.ts'

export interface WholeClosesDeps {
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf' | 'accountRefOf'>
  readonly own: Pick<OwnQuantities, 'hasOpen' | 'learn'>
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}

/** An order that closes all of a position, or may. */
interface WholeClose {
  /** By `placeNameOf`; undefined: it names a position by its id, or all of them. */
  readonly place: string | undefined
  readonly symbol: string | undefined
  /** For the error: the call that closes a size. */
  readonly instead: string
  /** Its call has a field that the gateway does not know: it may be one on futures. */
  readonly hasUnknownField?: boolean
}

/** Another client, and where it may have opened something. */
type Other = Parameters<FillQuestions['ask']>[1][number]

/** An order of another client that was found open is not asked for again so soon. */
const CERTAIN_MS = 2_000
/**
 * Each call that closes a whole position has one of these words, as it is or with letters that are
 * written in another way.
 */
const MAY_BE_WHOLE = /close|loss|profit|surplus|tpsl|stoporder|strategy|[\\%]/i

/**
 * An order that closes a whole position closes the parts of all clients with the same exchange key.
 * A client may send one only while no other one has an open quantity there. A close of a size is no
 * such order.
 */
export class WholeCloses {
  readonly #deps: WholeClosesDeps
  readonly #fills: FillQuestions

  constructor(deps: WholeClosesDeps) {
    this.#deps = deps
    this.#fills = new FillQuestions(deps)
  }

  /**
   * @param waiting undefined: the exchange is not asked
   * @returns the error of a call, or of one that follows it, that would close what others opened
   * @throws NotOwnerError
   */
  async refusalOf(
    { clientRef, exchange }: { readonly clientRef: number; readonly exchange: ExchangeCode },
    { call, order, follows = [] }: OrderCall,
    waiting: WaitingRequest | undefined,
  ): Promise<PositionSharedError | undefined> {
    const closes = [call, ...follows].flatMap((each) => closesOf(each))
    if (closes.length === 0) return undefined
    const others = await this.#deps.keys.othersWithKeyOf(clientRef, exchange)
    if (others.length === 0) return undefined
    const atPosition = order && positionPlaceOf(order)
    for (const { instead, symbol = order?.symbol, place: named, hasUnknownField } of closes) {
      if (hasUnknownField === true && order?.market !== 'futures') continue
      const place = named ?? (atPosition && placeNameOf(atPosition))
      // It names a position by its id, and which one that is could not be read.
      const isUnknownPosition = place === undefined && order?.closes?.positionId !== undefined
      const at = others.map((other) => ({ clientRef: other, exchange, place }))
      const hasOpen = await this.#haveOpen(clientRef, at, waiting)
      if (hasOpen === false) continue
      const where = `in ${symbol ?? 'its symbols'}`
      const isUnread = hasOpen === 'perhaps' || isUnknownPosition
      return new PositionSharedError(EXCHANGE_NAMES[exchange], where, instead, isUnread)
    }
    return undefined
  }

  /** Whether one of several clients has an open quantity. */
  async #haveOpen(
    caller: number,
    others: readonly Other[],
    waiting: WaitingRequest | undefined,
  ): Promise<boolean | 'perhaps'> {
    let hasOne: boolean | 'perhaps' = false
    for (const other of others) {
      const hasOpen = await this.#hasOpen(caller, other, waiting)
      if (hasOpen === true) return true
      if (hasOpen === 'perhaps') hasOne = hasOpen
    }
    return hasOne
  }

  /** @param caller who makes the gateway ask, which it does up to some times a minute */
  async #hasOpen(
    caller: number,
    other: Other,
    waiting: WaitingRequest | undefined,
  ): Promise<boolean | 'perhaps'> {
    const { clientRef, exchange, place } = other
    const { keys, own, nowMs } = this.#deps
    const keysId = await keys.accountRefOf(clientRef, exchange).catch((error: unknown) => {
      if (error instanceof ExchangeKeysMissingError) return undefined
      throw error
    })
    // Its keys have just been removed.
    if (keysId === undefined) return false
    const hasOpen = own.hasOpen(clientRef, exchange, keysId, place, nowMs() - CERTAIN_MS)
    // What was not certain at the admission was asked for then.
    if (hasOpen !== 'perhaps' || waiting === undefined) return hasOpen === true
    const sinceMs = nowMs()
    await this.#fills.ask(caller, [other], waiting)
    return own.hasOpen(clientRef, exchange, keysId, place, sinceMs)
  }
}

/** What of a call closes a whole position, or may. */
function closesOf(call: UpstreamCall): readonly WholeClose[] {
  const mayBe = [call.path, call.query, call.body ?? ''].some((text) => MAY_BE_WHOLE.test(text))
  if (!mayBe) return []
  return effectsOf(call).flatMap((effect) => {
    if (effect.kind === 'unbounded')
      return {
        ...{ place: undefined, symbol: undefined },
        instead: sizedCloseOf(call, true),
        hasUnknownField: true,
      }
    if (effect.kind !== 'order' || !closesWhole(effect)) return []
    const isStop = effect.exit !== undefined || effect.trigger !== undefined
    const place = positionPlaceOf({ ...effect, demo: call.demo })
    return {
      place: place === undefined ? undefined : placeNameOf(place),
      symbol: effect.symbol,
      instead: sizedCloseOf(call, isStop),
    }
  })
}

/** A take profit or stop loss that hangs on a futures order may close the whole position. */
function closesWhole({ market, closes, exit }: OrderEffect): boolean {
  return market === 'futures' && (closes?.isWhole === true || exit !== undefined)
}
