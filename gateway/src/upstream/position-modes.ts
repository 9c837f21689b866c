import type { ExchangeCode } from 'schema'
import type { NamedPosition, PositionProtocol, PositionRead } from '../exchanges/adapter.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { PositionMode, PositionPlace } from '../exchanges/position-part.ts'
import { adapters } from '../exchanges/registry.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { Events } from './events.ts'
import type { RequestContext } from './request-context.ts'
import { isAccountKindRejection } from './sign-and-send.ts'
import type { Upstream } from './upstream.ts'

const KNOWN_MS = 10 * 60_000
/** How long nobody asks again after responses that did not say it. */
const UNCLEAR_MS = 10_000

interface PositionModesDeps {
  readonly upstreams: Readonly<
    Record<ExchangeCode, Pick<Upstream, 'lookUp' | 'accountRefOf' | 'accountKindOf'>>
  >
  readonly events: Pick<Events, 'on' | 'emit'>
  readonly monotonicMs: () => number
}

/** The mode of an account; undefined when the exchange did not say it. */
interface KnownMode {
  readonly mode: PositionMode | undefined
  readonly untilMs: number
}

/**
 * Whether accounts have one position a symbol or two, as the exchange says, and which position an
 * id names. An exchange changes the mode only while there are no positions and orders.
 */
export class PositionModes {
  readonly #deps: PositionModesDeps
  readonly #known = new Map<string, KnownMode>()
  /** By the count of changes too: a question from before a change is not for those after it. */
  readonly #underWay = new Map<string, Promise<PositionMode | undefined>>()
  #changes = 0

  constructor(deps: PositionModesDeps) {
    this.#deps = deps
    deps.events.on('call', ({ exchange, call }) => {
      if (changesMode(exchange, call)) this.#forget()
    })
  }

  /**
   * The mode of the client's account; asked for ahead of all orders when it is not known.
   * @returns undefined on spot, and when the exchange does not say it
   * @throws NotOwnerError when another node would have to ask
   */
  async modeOf(
    context: RequestContext,
    exchange: ExchangeCode,
    place: PositionPlace,
  ): Promise<PositionMode | undefined> {
    if (place.market === 'spot') return undefined
    return this.#orUndefined(context, exchange, async () => {
      const keysId = await this.#deps.upstreams[exchange].accountRefOf(context)
      const name = nameOf(exchange, keysId, place)
      const known = this.#knownAt(name)
      if (known !== undefined) return known.mode
      const underWay = `${this.#changes} ${name}`
      const asking =
        this.#underWay.get(underWay) ??
        this.#learn(context, exchange, place, name).finally(() => this.#underWay.delete(underWay))
      this.#underWay.set(underWay, asking)
      return asking
    })
  }

  /**
   * The mode as far as it is known, without asking the exchange.
   * @param keysId of the keys of the account
   */
  knownMode(
    exchange: ExchangeCode,
    keysId: number,
    place: PositionPlace,
  ): PositionMode | undefined {
    return this.#knownAt(nameOf(exchange, keysId, place))?.mode
  }

  /**
   * The open position of the client's account that an id names. It is asked for each time: whether
   * a position that turns round keeps its id is not documented.
   * @returns undefined when the exchange does not say it
   * @throws NotOwnerError when another node would have to ask
   */
  async positionOf(
    context: RequestContext,
    exchange: ExchangeCode,
    positionId: string,
  ): Promise<NamedPosition | undefined> {
    const question = positionsOf(exchange)?.positionRead?.(positionId)
    if (question === undefined) return undefined
    return this.#orUndefined(context, exchange, async () => {
      const { found } = await this.#ask(context, exchange, [question])
      return found
    })
  }

  async #learn(
    context: RequestContext,
    exchange: ExchangeCode,
    place: PositionPlace,
    name: string,
  ): Promise<PositionMode | undefined> {
    // Others wait for it too: it does not end with this caller.
    const { signal: _, ...lasting } = context
    const changes = this.#changes
    const mode = await this.#askMode(lasting, exchange, place)
    if (this.#changes !== changes) return undefined
    const forMs = mode === undefined ? UNCLEAR_MS : KNOWN_MS
    this.#known.set(name, { mode, untilMs: this.#deps.monotonicMs() + forMs })
    return mode
  }

  async #askMode(
    context: RequestContext,
    exchange: ExchangeCode,
    place: PositionPlace,
    isAgain = false,
  ): Promise<PositionMode | undefined> {
    const kind = await this.#deps.upstreams[exchange].accountKindOf(context)
    const questions = positionsOf(exchange)?.modeReads(place, kind) ?? []
    const { found, isOtherKind } = await this.#ask(context, exchange, questions)
    // The rejection has shown the kind.
    return isOtherKind && !isAgain ? this.#askMode(context, exchange, place, true) : found
  }

  async #ask<T>(
    context: RequestContext,
    exchange: ExchangeCode,
    questions: readonly PositionRead<T>[],
  ): Promise<{ found: T | undefined; isOtherKind: boolean }> {
    for (const { call, read } of questions) {
      const verdict = await this.#deps.upstreams[exchange].lookUp(context, call)
      if (isAccountKindRejection({ verdict })) return { found: undefined, isOtherKind: true }
      const found = verdict.kind === 'ok' ? read(verdict.data) : undefined
      if (found !== undefined) return { found, isOtherKind: false }
    }
    return { found: undefined, isOtherKind: false }
  }

  /** What cannot be asked for is not known. @throws NotOwnerError */
  async #orUndefined<T>(
    { clientRef }: RequestContext,
    exchange: ExchangeCode,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof NotOwnerError) throw error
      this.#deps.events.emit('positionNotRead', { exchange, clientRef, error })
      return undefined
    }
  }

  #knownAt(name: string): KnownMode | undefined {
    const known = this.#known.get(name)
    return known !== undefined && this.#deps.monotonicMs() < known.untilMs ? known : undefined
  }

  /** Of all accounts: several clients may have the same one. */
  #forget(): void {
    this.#changes += 1
    this.#known.clear()
  }
}

/** Undefined when the exchange has no futures. */
function positionsOf(exchange: ExchangeCode): PositionProtocol | undefined {
  return adapters.ofCode(exchange).find(({ positions }) => positions !== undefined)?.positions
}

function changesMode(exchange: ExchangeCode, { method, path }: UpstreamCall): boolean {
  const line = `${method} ${path}`
  return adapters.ofCode(exchange).some(({ calls }) => calls.facts.get(line)?.changesMode === true)
}

function nameOf(exchange: ExchangeCode, keysId: number, place: PositionPlace): string {
  const { productType = '', demo = false } = place
  return `${exchange} ${keysId} ${productType} ${demo}`
}
