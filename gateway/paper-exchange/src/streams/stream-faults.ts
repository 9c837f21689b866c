import type { StreamName } from './stream-socket.ts'

/**
 * `drop` to `gzip` befall a push; `silent` to `maintenance` all open sockets that match, at once;
 * the last two the next login.
 */
export const STREAM_FAULT_KINDS = [
  'drop',
  'delay',
  'duplicate',
  'reorder',
  'garbage',
  'gzip',
  'silent',
  'cut',
  'expire',
  'maintenance',
  'refuse-login',
  'wrong-family',
] as const
type StreamFaultKind = (typeof STREAM_FAULT_KINDS)[number]

/** A push or a socket that has every given field. */
interface StreamFaultMatch {
  readonly stream?: StreamName | undefined
  /** The name of the account that logged in; `null`: before a login. */
  readonly account?: string | null | undefined
  /** As in the push: `orders`, `push.personal.order`, `spot@private.deals.v3.api.pb`. */
  readonly channel?: string | undefined
}

export interface StreamFault {
  readonly kind: StreamFaultKind
  readonly match?: StreamFaultMatch | undefined
  /** How many pushes or logins it befalls; 1 when absent, 0 until cleared. */
  readonly times?: number | undefined
  /**
   * `delay`: how much later the push is sent, ms; 1,000 when absent. At the latest with the next
   * tick.
   */
  readonly delayMs?: number | undefined
}

const AT_ONCE = ['silent', 'cut', 'expire', 'maintenance'] as const
const OF_LOGIN = ['refuse-login', 'wrong-family'] as const
const isOneOf = (kinds: readonly string[], { kind }: StreamFault) => kinds.includes(kind)

/** Whether it befalls the sockets that are open, and no push or login to come. */
export const isAtOnce = (fault: StreamFault): boolean => isOneOf(AT_ONCE, fault)

type Facts = Required<StreamFaultMatch>

/** The misbehaviour of feeds that was asked for, used up in the order in which it was added. */
export class StreamFaults {
  #armed: { readonly fault: StreamFault; left: number }[] = []

  add(fault: StreamFault): void {
    const times = fault.times ?? 1
    this.#armed.push({ fault, left: times === 0 ? Number.POSITIVE_INFINITY : times })
  }

  clear(): void {
    this.#armed = []
  }

  list(): readonly StreamFault[] {
    return this.#armed.map(({ fault, left }) => ({
      ...fault,
      times: Number.isFinite(left) ? left : 0,
    }))
  }

  takeForPush(facts: Facts): StreamFault | null {
    return this.#take(facts, (fault) => !isOneOf(OF_LOGIN, fault))
  }

  takeForLogin(facts: Facts): StreamFault | null {
    return this.#take(facts, (fault) => isOneOf(OF_LOGIN, fault))
  }

  #take(facts: Facts, isWanted: (fault: StreamFault) => boolean): StreamFault | null {
    const armed = this.#armed.find(({ fault }) => isWanted(fault) && isStreamHit(fault, facts))
    if (armed === undefined) return null
    armed.left -= 1
    if (armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed)
    return armed.fault
  }
}

export function isStreamHit({ match = {} }: StreamFault, facts: Facts): boolean {
  const { stream, account, channel } = match
  return (
    (stream === undefined || stream === facts.stream) &&
    (account === undefined || account === facts.account) &&
    (channel === undefined || channel === facts.channel)
  )
}
