import type { LogStore } from '../store/log-store.ts'
import { storeFailureText } from '../store/open-reason.ts'
import type { Time } from '../time.ts'
import type { AlertBoard } from './alert-board.ts'

const LOOK_EVERY_MS = 200
/** PostgreSQL restarts within this time, and a backup lets writes pass. */
const RAISE_AFTER_MS = 5_000
const ASK_EVERY_MS = 1_000
/** After an outage the owner may change, and a node that has not looked yet knows the last one. */
const OWNER_SETTLES_MS = 15_000

export interface StoreAlertsDeps {
  readonly board: AlertBoard
  readonly log: Pick<LogStore, 'look' | 'writable'>
  /** Which node sends to the exchanges: `self` is this one. */
  readonly owner: () => object | 'self' | undefined
  /** The URLs of the other nodes, as they were seen last. */
  readonly otherUrls: () => readonly string[]
  /** Whether another node can write; undefined when it does not respond. */
  readonly canWrite: (url: string) => Promise<boolean | undefined>
  /** The URL of this node; empty where it has none. */
  readonly url: string
  readonly time: Time
}

const TYPE = 'store.unwritable'
const SUBJECT = 'database'

/**
 * Watches whether the database can be written, at every node. While it cannot, the nodes have only
 * their own channel to agree by: of those that cannot write, the one whose URL is the first
 * reports it. Where another one can write, that one reports this node as missing.
 */
export function watchStore(deps: StoreAlertsDeps) {
  const { board, log, owner, otherUrls, canWrite, url, time } = deps
  let since: { readonly monotonicMs: number; readonly atMs: number } | undefined
  let isReporter = false
  let writableSinceMs: number | undefined
  let askedAtMs = Number.NEGATIVE_INFINITY

  function look(): void {
    const nowMs = time.now()
    log.look(nowMs)
    const writable = log.writable()
    if (writable.ok) {
      recovered()
      return
    }
    writableSinceMs = undefined
    since ??= { monotonicMs: time.monotonic(), atMs: nowMs }
    if (isReporter || time.monotonic() - since.monotonicMs < RAISE_AFTER_MS) return
    if (time.monotonic() - askedAtMs < ASK_EVERY_MS) return
    askedAtMs = time.monotonic()
    void report(writable.error, since.atMs)
  }

  async function report(error: Error, sinceMs: number): Promise<void> {
    const others = otherUrls()
    const states = await Promise.all(others.map(canWrite))
    // It has recovered while it asked.
    if (since?.atMs !== sinceMs || states.includes(true)) return
    const why = storeFailureText(error) ?? 'the store cannot be written'
    const message = `No order is sent, because ${why}. The gateway continues by itself once it can write; docs/operations/recovery.md says what works until then`
    isReporter = !others.some((other, index) => other < url && states[index] === false)
    board.forget(TYPE, SUBJECT)
    if (isReporter)
      board.raise(TYPE, SUBJECT, message, {
        ...{ since: new Date(sinceMs).toISOString(), node: url === '' ? null : url },
      })
    else
      board.restore([
        { type: TYPE, subject: SUBJECT, raisedAtMs: time.now(), message, count: 1, level: 0 },
      ])
  }

  /** The owner says that it is over: the node that reported it may end when it loses its lock. */
  function recovered(): void {
    since = undefined
    isReporter = false
    if (!board.isRaised(TYPE, SUBJECT)) return
    writableSinceMs ??= time.monotonic()
    if (owner() === 'self') board.clear(TYPE, SUBJECT, 'The database can be written again')
    else if (time.monotonic() - writableSinceMs > OWNER_SETTLES_MS) board.forget(TYPE, SUBJECT)
  }

  const timer = time.setInterval(look, LOOK_EVERY_MS).unref()
  return () => timer.cancel()
}
