import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { checkPace, type PaceBook, watchSockets } from '../campaign/pace-book.ts'

/** What it sends when it is asked: how many requests came, and whether they kept the pace. */
export interface Judgement extends PaceBook {
  readonly count: number
}

// A paper exchange in a process of its own: what stalls the gateway does not stall its clock. It
// knows when it last looked at its sockets, and so by how much it may have noted a request late.
const paper = await createPaperExchange()
const sockets = watchSockets()
process.on('message', (ratePerSecond: number) => {
  const received = paper.received()
  const judgement: Judgement = {
    count: received.length,
    ...checkPace(received, ratePerSecond, sockets),
  }
  process.send?.(judgement)
})
process.send?.(paper.url)
