import type { AccountKind, Market, UpstreamCall } from '../exchange.ts'
import {
  fillJsonField,
  type JsonText,
  mapJsonField,
  mapJsonList,
  readJson,
} from '../protocol/json-text.ts'
import { textOf } from '../protocol/untrusted.ts'
import type { OrderFields } from './order-call.ts'
import type { EndedOrder, FoundOrder, OrderCall, OrderKey } from './order-key.ts'
import type { Narrowing, Places } from './search.ts'

/** How an API writes calls about orders, and where and how an order is found. */
export interface OrderProtocol {
  readonly fields: CallFields
  readonly responseNames: ResponseNames
  /**
   * Where an order may be; undefined when there is nothing to look it up by.
   * @param nowMs exchange time
   */
  readonly placesOf: (
    order: OrderKey,
    sentAtMs: number,
    nowMs: number,
    narrowing: Narrowing,
  ) => Places | undefined
  /**
   * For how long after it was made an order is in the lists of open and past orders, by its client
   * order id, ms.
   */
  readonly listedForMs: number
  /**
   * How an order that the gateway listed is cancelled by its id; undefined when it cannot be.
   * Absent where no order can be.
   */
  readonly cancelForm?: (order: OrderKey) => CancelForm | undefined
  /**
   * The order as it is looked up in an account of this kind, which may differ from the kind that it
   * was sent to. Absent where all accounts are of one kind.
   */
  readonly keyInKind?: (order: OrderKey, kind: AccountKind) => OrderKey
  /**
   * The response to the call that made, or cancelled, an order that was found.
   * @param nowMs exchange time
   */
  readonly foundResponse: (order: OrderKey, found: FoundOrder, nowMs: number) => object
  /** The same of a call about several orders. */
  readonly severalResponse: (
    several: OrderKey['several'],
    ended: readonly EndedOrder[],
    nowMs: number,
  ) => object
  /** The same in the form of the documented routes; absent where there are none. */
  readonly documentedResponse?: (order: OrderKey, found: FoundOrder) => object
}

/** The names that the ids of orders have in responses; the first of them that is there counts. */
export interface ResponseNames {
  readonly clientOrderId: readonly string[]
  /** The exchange's id of a trigger order; absent: `orderId`, as of other orders. */
  readonly triggerId?: readonly string[]
  /**
   * In a trigger order whose price came, the exchange's id of the order that it made; absent where
   * it does not name one.
   * @param plan as in OrderKey
   */
  readonly madeId?: (plan: string) => readonly string[]
}

/** A call that cancels listed orders, and nothing else. */
export interface CancelForm {
  /** Orders of one group can be in one call. */
  readonly group: string
  /** So many of them. */
  readonly max: number
  /** @param orders at least one, and at most `max`; all of the group */
  readonly callOf: (orders: readonly OrderKey[]) => OrderCall
}

/** A call that cancels what it does not name. */
export interface CancelAllForm {
  /** Which orders it cancels; undefined where that is not clear. */
  readonly reach: (fields: OrderFields) => CancelReach | undefined
  /**
   * The exchange's response, made from what was cancelled in its place.
   * @param nowMs exchange time
   */
  readonly response: (orders: CancelledAll, fields: OrderFields, nowMs: number) => object
  /** The response says which orders were not cancelled. */
  readonly namesFailed?: true
}

/** Orders that a call reaches. What is absent narrows nothing; without `plan` no trigger orders. */
export interface CancelReach {
  readonly market: Market
  /** Empty: all. */
  readonly symbols?: readonly string[]
  readonly productType?: string
  readonly plan?: string | undefined
  readonly planType?: string | undefined
  /** Exits of this position. */
  readonly positionId?: string | undefined
}

/** What became of the orders that a cancel of everything reached. */
export interface CancelledAll {
  readonly cancelled: readonly ToCancel[]
  readonly failed: readonly (Pick<ToCancel, 'orderId' | 'clientOrderId'> & {
    readonly message: string
  })[]
}

/** An order to cancel, with the ids that are known of it. */
export interface ToCancel {
  readonly key: OrderKey
  readonly orderId: string | null
  readonly clientOrderId: string | null
}

/** The symbol of a call as a list; empty when it has none, undefined when it is no text. */
export function symbolsIn(symbol: unknown): readonly string[] | undefined {
  if (symbol === undefined || symbol === null || symbol === '') return []
  const text = textOf(symbol)
  return text === undefined ? undefined : [text]
}

/** How the fields of a call are read, and filled in where they stand. */
export interface CallFields {
  /**
   * What the call says, by name; a list where its body is one.
   * @param json the body, undefined when it is no JSON
   */
  readonly read: (call: UpstreamCall, json: JsonText | undefined) => unknown
  /** With one field filled in that is missing; undefined when the call cannot be changed. */
  readonly fill: (
    call: UpstreamCall,
    json: JsonText | undefined,
    fields: Readonly<Record<string, string>>,
  ) => UpstreamCall | undefined
  /**
   * With the entries of its list changed, where the list is; the call itself when nothing is.
   * @param field the list's name; undefined when the body is the list
   */
  readonly fillList: (
    call: UpstreamCall,
    json: JsonText | undefined,
    field: string | undefined,
    change: ChangeEntry,
  ) => UpstreamCall
}

/** The text of an entry after the change; undefined for one that stays. */
type ChangeEntry = (entry: JsonText, index: number) => string | undefined

/** The fields of a call are those of its JSON body. */
export const jsonFields: CallFields = {
  read: (_call, json) => json?.value,

  fill(call, json, fields) {
    const filled = Object.entries(fields).reduce(
      (text, [name, value]) => (text === undefined ? text : fillJsonField(text, name, value)),
      json,
    )
    return filled === undefined ? undefined : { ...call, body: filled.text }
  },

  fillList(call, json, field, change) {
    if (json === undefined) return call
    const body =
      field === undefined
        ? mapJsonList(json, change)
        : mapJsonField(json, field, (list) => fillWrittenList(list, change))
    return body === undefined || body === json.text ? call : { ...call, body }
  },
}

/** A list may be a text in JSON, as MEXC spot has it in its parameters. */
function fillWrittenList(list: JsonText, change: ChangeEntry): string | undefined {
  if (typeof list.value !== 'string') return mapJsonList(list, change)
  const changed = fillListText(list.value, change)
  return changed === undefined ? undefined : JSON.stringify(changed)
}

/** The text of a list with its entries changed; undefined when it is none, or nothing changes. */
export function fillListText(text: string, change: ChangeEntry): string | undefined {
  const list = readJson(text)
  const changed = list === undefined ? undefined : mapJsonList(list, change)
  return changed === text ? undefined : changed
}
