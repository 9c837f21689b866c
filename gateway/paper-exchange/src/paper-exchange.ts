import type { AddressInfo } from 'node:net'
import type {
  FastifyInstance,
  FastifyRequest,
  FastifySchemaCompiler,
  FastifyServerOptions,
} from 'fastify'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { Accounts } from './account.ts'
import { createBitgetFamily } from './bitget/family.ts'
import { bitgetMixEndpoints } from './bitget/mix-routes.ts'
import { bitgetCommonEndpoints, bitgetSpotEndpoints } from './bitget/spot-routes.ts'
import { bitgetUnifiedAreas, isUnifiedPath } from './bitget/unified-routes.ts'
import { createControl, type PaperControl } from './control.ts'
import { controlRoutes } from './control-routes.ts'
import { createEngine, type Engine, type PaperExchangeOptions } from './engine.ts'
import { ARRIVAL, type Arrival, splitOnce } from './exchange-request.ts'
import { type FamilyRoutes, serveFamilies } from './family.ts'
import { Faults, isAfter, misbehave } from './faults.ts'
import type { ExchangeCode } from './market.ts'
import { futuresFamily } from './mexc/futures-family.ts'
import { mexcFuturesEndpoints } from './mexc/futures-routes.ts'
import { spotFamily } from './mexc/spot-family.ts'
import { mexcSpotEndpoints } from './mexc/spot-routes.ts'
import { publicHeaders, ReceivedRequests, withoutSignature } from './received.ts'
import { Streams } from './streams/stream-server.ts'

type Compiled = ReturnType<typeof Compile>

const compiled = new WeakMap<TSchema, Compiled>()

/**
 * Compiles a schema at its first request, and once for all paper exchanges of a process: Ajv, which
 * Fastify uses otherwise, would spend more time on it than the rest of the start takes. Text in the
 * URL becomes a number where the schema has one.
 */
const compileValidator: FastifySchemaCompiler<TSchema> =
  ({ schema, httpPart }) =>
  (input: unknown) => {
    const validator = compiled.get(schema) ?? Compile(schema)
    compiled.set(schema, validator)
    const value = httpPart === 'body' ? input : Value.Convert(schema, structuredClone(input))
    return validator.Check(value) ? { value } : { error: validator.Errors(value).slice(0, 1) }
  }

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type BuildValidator = NonNullable<
  NonNullable<SchemaController['compilersFactory']>['buildValidator']
>

/** Fastify's type knows only Ajv, which it loads unless this is set. */
const buildValidator = (() => compileValidator) as unknown as BuildValidator

/** A running paper exchange. The caller closes it. */
export interface PaperExchange extends PaperControl {
  /** Origin of both exchanges and of the control interface, without a path. */
  readonly url: string
  /** Cuts every connection, also those that a fault holds. */
  close(): Promise<void>
}

const PATH_PARAM_MAX = 500

/**
 * MEXC spot v3, MEXC futures v1, Bitget v2 and v3 over HTTP, with money that is not real. Strict as
 * the real ones: keys, signatures over the bytes received, time windows, parameters, symbol rules,
 * rate limits.
 * @throws when the port is taken (EADDRINUSE)
 */
export async function createPaperExchange(
  options: PaperExchangeOptions = {},
): Promise<PaperExchange> {
  const engine = createEngine(options)
  const faults = new Faults()
  const received = new ReceivedRequests()
  const { witness, onPush } = options
  const streams = new Streams({ venues: engine.venues, witness, onPush })
  const control = createControl({ engine, faults, received, streams })
  const app = Fastify({
    forceCloseConnections: true,
    // Only defects of this program: a rejection is an ordinary response.
    logger: { level: 'error' },
    routerOptions: { maxParamLength: PATH_PARAM_MAX, ignoreTrailingSlash: false },
    schemaController: { compilersFactory: { buildValidator } },
  })
  const { accounts, nowMs, monotonicMs } = engine
  await app.register(arrivalHooks, {
    accounts,
    faults,
    received,
    nowMs,
    monotonicMs,
    witness,
  })
  await app.register(controlRoutes, { prefix: '/paper', control })
  await app.register(async (exchanges) => serveExchanges(exchanges, engine))
  streams.attach(app.server)
  await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 })
  const ticker = tickEvery(options.tickEveryMs ?? 0, control)
  return {
    ...control,
    url: originOf(app),
    async close() {
      clearInterval(ticker)
      engine.close()
      streams.close()
      await app.close()
    },
  }
}

async function serveExchanges(app: FastifyInstance, { venues }: Engine): Promise<void> {
  // Signatures cover bytes, so no body is parsed before it is checked.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  serveFamilies(app, familiesOf(venues))
}

function familiesOf({ mx, bg }: Engine['venues']): FamilyRoutes[] {
  const spot = createBitgetFamily('spot')
  const mix = createBitgetFamily('mix')
  const unified = createBitgetFamily('unified')
  return [
    { prefix: '/api/v3', venue: mx, family: spotFamily, endpoints: mexcSpotEndpoints },
    { prefix: '/api/v1', venue: mx, family: futuresFamily, endpoints: mexcFuturesEndpoints },
    { prefix: '/api/v2/spot', venue: bg, family: spot, endpoints: bitgetSpotEndpoints },
    { prefix: '/api/v2/mix', venue: bg, family: mix, endpoints: bitgetMixEndpoints },
    { prefix: '/api/v2', venue: bg, family: spot, endpoints: bitgetCommonEndpoints },
    ...bitgetUnifiedAreas.map((area) => ({ ...area, venue: bg, family: unified })),
  ]
}

function tickEvery(everyMs: number, control: PaperControl): NodeJS.Timeout | undefined {
  return everyMs > 0 ? setInterval(() => control.tick(), everyMs) : undefined
}

function originOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

interface ArrivalHooksOptions {
  readonly accounts: Accounts
  readonly faults: Faults
  readonly received: ReceivedRequests
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  readonly witness?: ((text: string) => void) | undefined
}

/** Notes every request to an exchange as it arrives, and applies faults to it. */
const arrivalHooks = fp<ArrivalHooksOptions>(
  async (app: FastifyInstance, options) => {
    const { faults, received, nowMs, monotonicMs, witness } = options
    app.decorateRequest(ARRIVAL, null)

    app.addHook('onRequest', async (request) => {
      const arrivedAtMonotonicMs = monotonicMs()
      const arrivedAtMs = nowMs()
      const [path, query] = splitOnce(request.raw.url ?? '')
      const exchange = exchangeOf(path)
      if (exchange === null) return
      witness?.([request.method, request.raw.url, ...request.raw.rawHeaders].join('\n'))
      const account = accountNameOf(request, exchange, options.accounts)
      const like = { exchange, method: request.method, path, account }
      const fault = faults.take(like)
      const noted = received.add({
        ...like,
        query: withoutSignature(query),
        body: '',
        headers: publicHeaders(request.headers),
        arrivedAtMs,
        arrivedAtMonotonicMs,
        status: null,
        ...(fault === null ? {} : { fault: fault.kind }),
      })
      request.setDecorator<Arrival>(ARRIVAL, {
        received: noted,
        nowMs: arrivedAtMs + faults.takeClockOffsetMs(like),
        fault,
      })
    })

    app.addHook('preHandler', async (request, reply) => {
      const arrival = request.getDecorator<Arrival | null>(ARRIVAL)
      if (arrival === null) return
      if (Buffer.isBuffer(request.body)) {
        witness?.(request.body.toString())
        arrival.received.body = withoutSignature(request.body.toString())
      }
      const { fault } = arrival
      if (fault === null || isAfter(fault)) return
      arrival.fault = null
      const text = await misbehave(fault, { request, reply, response: null }, arrival.received)
      if (text === undefined) return reply.hijack()
      if (fault.kind !== 'slow') return reply.send(text)
    })

    app.addHook('onSend', async (request, reply, payload) => {
      const arrival = request.getDecorator<Arrival | null>(ARRIVAL)
      if (arrival === null) return payload
      const { fault } = arrival
      arrival.fault = null
      const response = typeof payload === 'string' ? payload : ''
      const code = /^{"code":"?(-?\w+)/.exec(response)?.[1]
      if (code !== undefined) arrival.received.code = code
      const text =
        fault === null
          ? response
          : await misbehave(fault, { request, reply, response }, arrival.received)
      if (text !== undefined) arrival.received.status = reply.statusCode
      return text ?? ''
    })
  },
  { name: 'arrival-hooks', fastify: '5.x' },
)

/** Null: the control interface, or nothing that an exchange would have. */
function exchangeOf(path: string): ExchangeCode | null {
  if (path.startsWith('/api/v2/') || isUnifiedPath(path)) return 'bg'
  return path.startsWith('/api/v3/') || path.startsWith('/api/v1/') ? 'mx' : null
}

function accountNameOf(
  { headers }: FastifyRequest,
  exchange: ExchangeCode,
  accounts: Accounts,
): string | null {
  const sent =
    exchange === 'bg' ? headers['access-key'] : (headers['x-mexc-apikey'] ?? headers.apikey)
  return typeof sent === 'string' ? (accounts.byApiKey(exchange, sent)?.name ?? null) : null
}
