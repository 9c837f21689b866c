import type { AccountEvent } from '../../src/exchanges/feed.ts'

type DataOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>['data']

/** The account as a bot knows it from the events that it received. */
export class BotAccount {
  readonly orders = new Map<string, DataOf<'order'>>()
  readonly fills: DataOf<'fill'>[] = []
  readonly positions = new Map<string, DataOf<'position'>>()
  readonly balances = new Map<string, DataOf<'balance'>>()
  /** Events that contradict earlier ones. */
  readonly wrongs: string[] = []
  readonly #fillIds = new Set<string>()

  // biome-ignore lint/suspicious/noExplicitAny: what a gateway sends, as a bot reads it
  receive(type: string, market: string | null, data: any): void {
    if (type === 'order') this.#receiveOrder(`${market} ${data.orderId}`, data)
    if (type === 'fill') this.#receiveFill(`${market} ${data.orderId} ${data.fillId}`, data)
    if (type === 'position') this.positions.set(`${market} ${data.symbol} ${data.side}`, data)
    if (type === 'balance') this.balances.set(`${market} ${data.asset}`, data)
  }

  /** Of an order, as its fills say. */
  filledOf(orderId: string): number {
    const ofOrder = this.fills.filter((fill) => fill.orderId === orderId)
    return ofOrder.reduce((all, { quantity }) => all + Number(quantity), 0)
  }

  #receiveOrder(name: string, data: DataOf<'order'>): void {
    const before = this.orders.get(name)
    this.orders.set(name, data)
    if (before === undefined) return
    if (isEnded(before) && before.status !== data.status)
      this.wrongs.push(`${name} ended as ${before.status}, then was ${data.status}`)
    if (Number(data.filledQuantity) < Number(before.filledQuantity))
      this.wrongs.push(`${name} had ${before.filledQuantity} filled, then ${data.filledQuantity}`)
  }

  #receiveFill(name: string, data: DataOf<'fill'>): void {
    this.fills.push(data)
    if (data.inferred) return
    if (this.#fillIds.has(name)) this.wrongs.push(`the fill ${name} was received twice`)
    this.#fillIds.add(name)
  }
}

export function isEnded({ status }: Pick<DataOf<'order'>, 'status'>): boolean {
  return status === 'filled' || status === 'canceled' || status === 'rejected'
}
