import type { AccountKind } from 'schema'
import type { OrderCall, OrderKey } from './order-lookup/order-key.ts'
import type { CancelForm, ToCancel } from './order-lookup/order-protocol.ts'
import { adapters } from './registry.ts'

/** A call that cancels these orders by their ids, and nothing else. */
export interface CancelCall<Order> {
  readonly orders: readonly Order[]
  readonly orderCall: OrderCall
}

/**
 * The calls that cancel orders: as few as the exchange allows. Orders that it does not let be
 * cancelled by their ids are in none.
 * @param kind of the account today; null while it is unknown
 */
export function cancelCallsOf<Order extends ToCancel>(
  orders: readonly Order[],
  kind: AccountKind | null,
  from = adapters,
): CancelCall<Order>[] {
  const groups = new Map<string, Group<Order>>()
  for (const order of orders) {
    const named = namedByIds(order)
    const { keyInKind, cancelForm } = from.of(named.family).orders
    const key = kind === null ? named : (keyInKind?.(named, kind) ?? named)
    const form = cancelForm?.(key)
    if (form === undefined) continue
    const name = `${key.family} ${form.group}`
    const group = groups.get(name) ?? { form, members: [] }
    group.members.push({ order, key })
    groups.set(name, group)
  }
  return [...groups.values()].flatMap(callsOf)
}

interface Group<Order> {
  readonly form: CancelForm
  readonly members: { readonly order: Order; readonly key: OrderKey }[]
}

function callsOf<Order>({ form, members }: Group<Order>): CancelCall<Order>[] {
  const calls: CancelCall<Order>[] = []
  for (let at = 0; at < members.length; at += form.max) {
    const some = members.slice(at, at + form.max)
    calls.push({
      orders: some.map(({ order }) => order),
      orderCall: form.callOf(some.map(({ key }) => key)),
    })
  }
  return calls
}

/** The key of a listed order as a cancel has it: the exchange's id is better than the client's. */
export function namedByIds({ key, orderId, clientOrderId }: ToCancel): OrderKey {
  const ids = orderId === null ? { clientOrderId: clientOrderId ?? undefined } : { orderId }
  return {
    ...key,
    action: 'cancel',
    orderId: undefined,
    clientOrderId: undefined,
    terms: undefined,
    isInPlace: undefined,
    isImmediate: undefined,
    ...ids,
  }
}
