import { createHmac } from 'node:crypto'
import { secretsOf } from '../account.ts'
import { type ReceivedJson, readJson, writeJson } from '../exact-numbers.ts'
import { isAllowedAddress, isList, isObject, isSameText } from '../exchange-request.ts'
import type { Change } from '../venue.ts'
import { classicTopics } from './bitget-classic-topics.ts'
import { unifiedTopics } from './bitget-unified-topics.ts'
import {
  FrameLimit,
  type SessionParts,
  type StreamSession,
  type StreamSocket,
} from './stream-socket.ts'
import type { BitgetArg, BitgetSubscription, BitgetTopics, Topic } from './topic.ts'

const FRAME_BYTES_MAX = 4_096
const CHANNELS_MAX = 1_000
const PING_SILENCE_MS = 120_000
const LOGIN_VALID_MS = 30_000
/**
 * Times below are seconds: the page says ms, its sample and both SDKs send seconds (streams.md, 4).
 */
const SECONDS_BELOW = 100_000_000_000

const WORDS = {
  30001: 'channel does not exist',
  30002: 'Illegal request',
  30003: 'Invalid op',
  30004: 'User needs to log in',
  30005: 'login failed',
  30006: 'request too many',
  30007: 'request over limit,connection close',
  30011: 'Invalid ACCESS_KEY',
  30012: 'Invalid ACCESS_PASSPHRASE',
  30013: 'Invalid ACCESS_TIMESTAMP',
  30014: 'Request timestamp expired',
  30015: 'Invalid sign',
  30016: 'Param error',
  30033: 'Service upgrade: the connection will be closed',
} as const
type ErrorCode = keyof typeof WORDS

/** A connection of Bitget v2 or v3 (streams.md, 4 and 5). */
export class BitgetSession implements StreamSession {
  readonly #socket: StreamSocket
  readonly #parts: SessionParts
  readonly #isV3: boolean
  readonly #topics: BitgetTopics
  readonly #subscribed = new Map<string, { arg: BitgetArg; topic: Topic }>()
  readonly #frames = new FrameLimit(10, 1_000)
  readonly #subscribeRequests = new FrameLimit(240, 3_600_000)
  readonly #stopListening: () => void
  #pingedAtMs: number

  constructor(socket: StreamSocket, parts: SessionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#isV3 = socket.stream === 'bitget-v3'
    this.#topics = this.#isV3 ? unifiedTopics : classicTopics
    this.#pingedAtMs = parts.venue.nowMs()
    this.#stopListening = parts.venue.changes.listen({
      changed: (change) => this.#changed(change),
      settled: () => this.#each(({ settled }) => settled?.()),
    })
  }

  channels(): readonly string[] {
    return [...this.#subscribed.values()].map(({ arg }) => channelOf(arg))
  }

  heard(text: string): void {
    const nowMs = this.#parts.venue.nowMs()
    // A ping counts too; a client that sends more is cut off.
    if (!this.#frames.take(nowMs)) {
      this.#fail(30007)
      return
    }
    if (text === 'ping') {
      this.#pingedAtMs = nowMs
      this.#socket.reply('pong')
      return
    }
    const frame = Buffer.byteLength(text) > FRAME_BYTES_MAX ? undefined : frameOf(text)
    if (frame === undefined) {
      this.#error(30002)
      return
    }
    switch (frame.op) {
      case 'login':
        this.#login(frame)
        return
      case 'subscribe':
        if (!this.#subscribeRequests.take(nowMs)) {
          this.#error(30006)
          return
        }
        {
          this.#eachArg(frame, (arg) => this.#subscribe(arg))
          return
        }
      case 'unsubscribe':
        this.#eachArg(frame, (arg) => this.#unsubscribe(arg))
        return
      default:
        // Trading too: Bitget opens it on application only, and nobody here applied.
        this.#error(30003)
        return
    }
  }

  beat(): void {
    const { venue } = this.#parts
    if (venue.nowMs() - this.#pingedAtMs >= PING_SILENCE_MS) {
      this.#socket.close(1000)
      return
    }
    this.#each(({ beat }) => beat?.())
  }

  announceMaintenance(): void {
    this.#error(30033)
  }

  ended(): void {
    this.#stopListening()
  }

  #changed(change: Change): void {
    this.#each(({ changed }) => changed?.(change))
  }

  #each(tell: (topic: Topic) => void): void {
    for (const { topic } of this.#subscribed.values()) tell(topic)
  }

  #login(frame: Frame): void {
    const [given] = isList(frame.args ?? null) ? (frame.args as readonly ReceivedJson[]) : []
    const { apiKey, passphrase, timestamp, sign } = textsOf(given)
    const { venue, faults } = this.#parts
    const account = venue.accounts.byApiKey('bg', apiKey ?? '')
    const facts = { stream: this.#socket.stream, account: account?.name ?? null, channel: '' }
    const fault = faults.takeForLogin(facts)?.kind
    if (fault === 'refuse-login') {
      this.#fail(30005)
      return
    }
    if (account === undefined || apiKey === undefined) {
      this.#fail(30011)
      return
    }
    const secrets = secretsOf(account, apiKey)
    if (!isSameText(secrets.passphrase, passphrase ?? '')) {
      this.#fail(30012)
      return
    }
    if (timestamp === undefined || !/^\d{1,16}$/.test(timestamp)) {
      this.#fail(30013)
      return
    }
    const sentAtMs = Number(timestamp) * (Number(timestamp) < SECONDS_BELOW ? 1_000 : 1)
    if (Math.abs(venue.nowMs() - sentAtMs) > LOGIN_VALID_MS) {
      this.#fail(30014)
      return
    }
    const expected = createHmac('sha256', secrets.apiSecret)
      .update(`${timestamp}GET/user/verify`)
      .digest('base64')
    if (!isSameText(expected, sign ?? '')) {
      this.#fail(30015)
      return
    }
    const { remoteAddress } = this.#socket
    const isRefused =
      account.isExpired ||
      !account.permissions.has('read') ||
      !isAllowedAddress(remoteAddress, account.ipWhitelist)
    if (isRefused) {
      this.#fail(30005)
      return
    }
    this.#socket.account = account
    this.#socket.isDeaf = fault === 'wrong-family'
    // The code is a number; an SDK that gets text waits for ever (streams.md, 7).
    this.#socket.reply(writeJson({ event: 'login', code: 0, connId: this.#connId() }))
  }

  #eachArg(frame: Frame, act: (arg: BitgetArg) => void): void {
    const { args = null } = frame
    if (!isList(args) || args.length === 0) {
      this.#error(30016)
      return
    }
    for (const arg of args) act(textsOf(arg))
  }

  #subscribe(arg: BitgetArg): void {
    const channel = channelOf(arg)
    const isPrivate = this.#topics.isPrivate(channel)
    const { account } = this.#socket
    if (isPrivate && account === null) {
      this.#error(30004, arg)
      return
    }
    if (this.#subscribed.size >= CHANNELS_MAX) {
      this.#error(30006, arg)
      return
    }
    const subscription = this.#subscription(arg)
    const topic =
      isPrivate && account !== null
        ? this.#topics.privateTopic({ ...subscription, account })
        : this.#topics.publicTopic(subscription)
    if (topic === undefined) {
      this.#error(30001, arg)
      return
    }
    // v3 has a code and a text beside it, both empty.
    const words = this.#isV3 ? { code: '', msg: '' } : {}
    const connId = this.#connId()
    this.#socket.reply(writeJson({ event: 'subscribe', arg, ...words, connId }))
    this.#subscribed.set(writeJson(arg), { arg, topic })
    topic.start?.()
  }

  #unsubscribe(arg: BitgetArg): void {
    if (!this.#subscribed.delete(writeJson(arg))) {
      this.#error(30001, arg)
      return
    }
    this.#socket.reply(writeJson({ event: 'unsubscribe', arg, connId: this.#connId() }))
  }

  #subscription(arg: BitgetArg): BitgetSubscription {
    const channel = channelOf(arg)
    const isPrivate = this.#topics.isPrivate(channel)
    return {
      venue: this.#parts.venue,
      arg,
      push: (action, data) => {
        if (isPrivate && this.#isSilentFamily()) return
        const ts = this.#parts.venue.nowMs()
        this.#socket.push(channel, writeJson({ action, arg, data, ts }))
      },
    }
  }

  /**
   * v2 takes the login of a unified account, and nothing comes (streams.md, 4); that v3 does the
   * same with a classic one is an assumption [?] (streams.md, 5).
   */
  #isSilentFamily(): boolean {
    const { account, isDeaf } = this.#socket
    return isDeaf || account?.isUnified !== this.#isV3 || account.isSwitching
  }

  #error(code: ErrorCode, arg?: BitgetArg): void {
    this.#socket.reply(writeJson({ event: 'error', arg, code, msg: WORDS[code] }))
  }

  #fail(code: ErrorCode): void {
    this.#error(code)
    this.#socket.close(1000)
  }

  #connId(): string {
    return `paper-${this.#socket.id}`
  }
}

type Frame = Readonly<Record<string, ReceivedJson>>

/** Undefined when it is no JSON object. */
function frameOf(text: string): Frame | undefined {
  try {
    const value = readJson(text)
    return isObject(value) ? value : undefined
  } catch {
    // The caller gets 30002: what arrived is no JSON.
    return undefined
  }
}

/**
 * The fields of an object that are text or numbers: an unknown one is not refused (streams.md, 7).
 */
function textsOf(value: ReceivedJson | undefined): Record<string, string> {
  if (value === undefined || !isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

const channelOf = ({ channel, topic }: BitgetArg): string => channel ?? topic ?? ''
