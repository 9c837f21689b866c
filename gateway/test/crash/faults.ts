import type { PaperControl } from '../../paper-exchange/src/control.ts'
import type { Fault } from '../../paper-exchange/src/faults.ts'
import { between, pick } from './world.ts'

const POST = { method: 'POST' } as const
const GET = { method: 'GET' } as const

/**
 * What goes wrong at the exchange: mostly around orders, sometimes when the gateway looks one up.
 */
const faults: readonly Fault[] = [
  { kind: 'slow', delayMs: 150, match: POST },
  { kind: 'slow', delayMs: 400, match: POST },
  { kind: 'reset-before', match: POST },
  { kind: 'reset-after', match: POST },
  { kind: 'reset-after' },
  { kind: 'timeout-after', match: POST },
  { kind: '5xx', match: POST },
  { kind: 'html', when: 'after', match: POST },
  { kind: 'truncated', match: POST },
  { kind: 'garbage' },
  { kind: '429', match: POST, retryAfterSeconds: 1 },
  { kind: '5xx', match: GET },
  { kind: 'truncated', match: GET },
]

/** Makes a fault now and then until the returned function is called; that clears what is left. */
export function startFaults(paper: Pick<PaperControl, 'faults'>, random: () => number): () => void {
  let timer = setTimeout(next, 0)
  function next(): void {
    // Faults that nobody ran into do not pile up while the gateway is down.
    if (paper.faults.list().length < 3) paper.faults.add(pick(random, faults))
    timer = setTimeout(next, between(random, 300, 3_000))
  }
  return () => {
    clearTimeout(timer)
    paper.faults.clear()
  }
}
