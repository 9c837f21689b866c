import { createHmac } from 'node:crypto'
import { setTimeout as passing } from 'node:timers/promises'
import { createPaperExchange } from 'paper-exchange/paper-exchange.ts'

// The exchange of the streams' benchmark: a paper exchange whose fills come when it is asked for
// them. Its first argument are its accounts, as JSON.

/** Fills of an order that rests at a price of a pair. */
export interface Fills {
  readonly do: 'fill'
  readonly symbol: string
  readonly price: string
  /** The quantity of each. */
  readonly size: string
  readonly perSecond: number
  readonly ms: number
}

/** An order that no client of the gateway placed. */
export interface ByHand {
  readonly do: 'place'
  readonly keys: {
    readonly apiKey: string
    readonly apiSecret: string
    readonly passphrase: string
  }
  readonly order: Readonly<Record<string, string>>
}

/** When each fill was pushed, by its id; on the clock of all processes, ms. */
export type Pushed = readonly (readonly [id: string, atMs: number])[]

const nowMs = () => Number(process.hrtime.bigint()) / 1e6

const accounts = JSON.parse(process.argv[2] ?? '[]')
let pushed: [string, number][] = []
const paper = await createPaperExchange({
  accounts,
  onPush(channel, frame) {
    if (channel !== 'fill') return
    const id = /"execId":"(\w+)"/.exec(frame.toString())?.[1]
    if (id !== undefined) pushed.push([id, nowMs()])
  },
})
process.on('disconnect', () => process.exit(0))
process.on('message', async (asked: Fills | ByHand) => {
  process.send?.(asked.do === 'fill' ? await fill(asked) : await place(asked))
})
process.send?.({ url: paper.url })

/** Each at its moment, or at once where its moment has passed. */
async function fill({ symbol, price, size, perSecond, ms }: Fills): Promise<Pushed> {
  pushed = []
  const startMs = nowMs()
  const count = Math.round((perSecond * ms) / 1000)
  for (let done = 0; done < count; ) {
    const dueMs = startMs + (done * 1000) / perSecond - nowMs()
    await passing(Math.max(0, dueMs))
    if (startMs + (done * 1000) / perSecond > nowMs()) continue
    paper.setPrice(symbol, price, size)
    paper.tick()
    done += 1
  }
  return pushed
}

async function place({ keys, order }: ByHand): Promise<{ status: number; text: string }> {
  const path = '/api/v3/trade/place-order'
  const body = JSON.stringify(order)
  const timestamp = `${Date.now()}`
  const signed = createHmac('sha256', keys.apiSecret).update(`${timestamp}POST${path}${body}`)
  const response = await fetch(`${paper.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'access-key': keys.apiKey,
      'access-passphrase': keys.passphrase,
      'access-timestamp': timestamp,
      'access-sign': signed.digest('base64'),
    },
    body,
  })
  return { status: response.status, text: await response.text() }
}
