import { gzipSync } from 'node:zlib'
import type { WebSocket } from 'ws'
import type { Account } from '../account.ts'
import type { Venue } from '../venue.ts'

export const STREAM_NAMES = ['bitget-v2', 'bitget-v3', 'mexc-spot', 'mexc-futures'] as const
export type StreamName = (typeof STREAM_NAMES)[number]

interface StreamSocketOptions {
  readonly stream: StreamName
  readonly venue: Venue
  readonly faults: StreamFaults
  readonly remoteAddress: string
  readonly id: number
  readonly onPush?: ((channel: string, frame: string | Buffer) => void) | undefined
}

const GARBAGE = '\u0000\u0001garbage, no frame }{]['

/** One connection of a client: what it may send, and what goes wrong on it. */
export class StreamSocket {
  readonly stream: StreamName
  readonly id: number
  readonly remoteAddress: string
  readonly openedAtMs: number
  /** Set by a login, or by a listen key. */
  account: Account | null = null
  /** Nothing is sent any more, and the connection stays: the fault `silent`. */
  isSilent = false
  /** No private push comes, as on the feed of the other kind of account: a fault. */
  isDeaf = false
  /** Frames from the client so far. */
  heard = 0
  readonly #options: StreamSocketOptions
  readonly #socket: WebSocket
  #held: string | Buffer | null = null

  constructor(socket: WebSocket, options: StreamSocketOptions) {
    this.#socket = socket
    this.#options = options
    this.stream = options.stream
    this.id = options.id
    this.remoteAddress = options.remoteAddress
    this.openedAtMs = options.venue.nowMs()
  }

  /** The reply to a frame of the client: only a silent socket keeps it back. */
  reply(frame: string | Buffer): void {
    if (!this.isSilent) this.#socket.send(frame)
  }

  /** News, which faults may befall. `channel` is what a fault names. */
  push(channel: string, frame: string | Buffer): void {
    if (this.isSilent || this.#socket.readyState !== this.#socket.OPEN) return
    const { faults, venue, stream, onPush } = this.#options
    onPush?.(channel, frame)
    const account = this.account?.name ?? null
    const fault = faults.takeForPush({ stream, account, channel })
    const held = this.#held
    switch (fault?.kind) {
      case 'drop':
        return
      case 'delay':
        venue.later(fault.delayMs ?? 1_000, () => this.reply(frame))
        return
      case 'reorder':
        // Sent after the next one.
        this.#held = frame
        if (held !== null) this.reply(held)
        return
      case 'duplicate':
        this.reply(frame)
        break
      case 'garbage':
        this.reply(GARBAGE)
        return
      case 'gzip':
        this.reply(gzipSync(frame))
        return
    }
    this.reply(frame)
    this.#held = null
    if (held !== null) this.reply(held)
  }

  /** After what was sent before. */
  close(code = 1000, reason = ''): void {
    this.#socket.close(code, reason)
  }

  /** As a network does it: without a word. */
  cut(): void {
    this.#socket.terminate()
  }
}

/** What a feed gets beside its connection. */
export interface SessionParts {
  readonly venue: Venue
  readonly faults: StreamFaults
  /** Of the address that was dialled. */
  readonly query: string
}

/** What a feed does with a connection. */
export interface StreamSession {
  /** Names of what is subscribed to, for `GET /paper/streams`. */
  channels(): readonly string[]
  /** A frame of the client. */
  heard(text: string): void
  /** At least ten times a second while the connection is open, and with each tick. */
  beat(): void
  /** Before the connection is closed for the exchange's maintenance. */
  announceMaintenance(): void
  /** The connection is gone. */
  ended(): void
}

/**
 * At most so many frames in a window, by the exchange's clock.
 */
export class FrameLimit {
  readonly #max: number
  readonly #windowMs: number
  #times: number[] = []

  constructor(max: number, windowMs: number) {
    this.#max = max
    this.#windowMs = windowMs
  }

  /** False when it is one too many. */
  take(nowMs: number): boolean {
    this.#times = this.#times.filter((atMs) => atMs > nowMs - this.#windowMs)
    this.#times.push(nowMs)
    return this.#times.length <= this.#max
  }
}

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
