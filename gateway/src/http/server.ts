import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import helmet from 'helmet'
import { ErrorBody } from 'schema'
import { BodyTooComplexError } from '../exchanges/protocol/errors.ts'
import { checkValues, parseLossless } from '../exchanges/protocol/lossless.ts'
import {
  BodyNotJsonError,
  ExpectationUnknownError,
  HostInvalidError,
  handleErrors,
  NotAProxyError,
  sendError,
  toErrorBody,
  UriTooLongError,
} from './errors.ts'
import { lazyChildLogger, logResponses } from './logging.ts'
import { acceptWebSockets, isUpgradeToWebSocket } from './open-streams.ts'
import { createRequestId, passedRequestOf, takePassedRequests } from './request-origin.ts'
import { buildLazySerializer, buildValidator } from './route.ts'

// Not imported: errors.ts says why.
const http = process.getBuiltinModule('node:http')

/** An order has a few hundred bytes, a batch of the drop-in families a few thousand. */
const BODY_BYTES_MAX = 256 * 1024
const URL_LENGTH_MAX = 8192

interface ServerOptions {
  readonly consoleOrigins: readonly string[]
  readonly trustProxy: readonly string[]
  readonly logger: FastifyServerOptions['logger']
  /** Whether other nodes pass requests to this one. */
  readonly isInGroup?: boolean | undefined
}

/**
 * A server without routes, with what every route shares: limits, error format, CORS, security
 * headers.
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: lazyChildLogger,
    trustProxy: options.trustProxy.length === 0 ? false : [...options.trustProxy],
    bodyLimit: BODY_BYTES_MAX,
    // This limits receiving a request, not responding: a response may take as long as the queue
    // allows.
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    // It would limit the hooks of a stop too, which wait for responses. `closeOnSignal` limits a
    // stop.
    pluginTimeout: 0,
    // Fastify's type also has HTTP/2, which this server does not speak.
    genReqId: (raw) =>
      passedRequestOf(raw as IncomingMessage)?.requestId ?? createRequestId(Date.now()),
    requestIdHeader: false,
    // While the server closes, requests on open connections get a response in this API's own
    // format.
    return503OnClosing: false,
    // Applies once all responses are sent: idle keep-alive connections would otherwise delay the
    // stop for minutes.
    forceCloseConnections: true,
    // The length of the whole URL is checked below, where the response gets CORS headers.
    routerOptions: { maxParamLength: URL_LENGTH_MAX },
    clientErrorHandler: respondToClientError,
    schemaController: {
      compilersFactory: { buildValidator, buildSerializer: buildLazySerializer },
    },
    // `checkMessages` checks the header, so that the error has this API's own format.
    http: { requireHostHeader: false, shouldUpgradeCallback: isUpgradeToWebSocket },
    // No hook runs for these errors.
    frameworkErrors: (error, request, reply) =>
      sendError(error, request, reply.header('x-request-id', request.id)),
  })
  app.addSchema(ErrorBody)
  app.decorateRequest('errorCode', null)
  app.decorateRequest('errorMessage', null)
  app.decorateRequest('hasRightSecret', false)
  app.decorateRequest('bodyText', '')
  handleErrors(app)
  if (options.isInGroup === true) takePassedRequests(app)
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson)
  checkRequests(app)
  logResponses(app)
  await addHeaders(app, options.consoleOrigins)
  await app.register(rateLimit, { global: false })
  await acceptWebSockets(app)
  return app
}

/**
 * Puts the request's id into its response, and checks the URL and the headers. The first hook waits
 * for the end of the packet: a body that is not valid HTTP must not get two responses. The other
 * hooks of every request call back, because each promise costs a turn.
 */
function checkRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (request.url.length > URL_LENGTH_MAX) throw new UriTooLongError(URL_LENGTH_MAX)
    // On this API's own routes `http://host/path` is the path (RFC 9112, 3.2.2).
    if (!/^[/*]/.test(request.url) && isForElsewhere(request)) throw new NotAProxyError()
  })
  app.server.on('connect', (_request, socket) => {
    // The server no longer counts this socket: it has no timeout, and closing does not reach it.
    socket.once('finish', () => socket.destroy())
    endWith(socket, toErrorBody(new NotAProxyError(), randomUUID()))
  })
  checkMessages(app)
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) respondedEarly.set(raw.socket, raw)
    done()
  })
}

function isForElsewhere({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || routeOptions.config.isRaw === true
}

/**
 * The requests whose response was sent before all of their body came. What is wrong with the rest
 * gets no second response, which a proxy could take for that of the next request.
 */
const respondedEarly = new WeakMap<Socket, IncomingMessage>()

/** Response headers that a page of another origin may read (CORS). Bots use them too. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Queue-Wait-Ms',
  'X-Total-Count',
  'X-Total-Count-Relation',
  'X-Kept-Days',
  'X-Next-Before',
  'X-Rows-Left-Out',
  'Age',
  'Server-Timing',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Location',
  'Idempotency-Replayed',
  'Preference-Applied',
] as const

/** Adds CORS for the console's origins, and the security headers. */
async function addHeaders(app: FastifyInstance, consoleOrigins: readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: [...consoleOrigins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Cache-Control', 'Content-Type', 'Idempotency-Key', 'Prefer'],
    // A list would be joined for each response.
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 3600,
  })
  const securityHeaders = await headersByHelmet()
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders)
    done()
  })
}

/**
 * The security headers of every response. They are the same each time, so helmet computes them
 * once: for each response anew it would take as long as the check of the token.
 */
async function headersByHelmet(): Promise<Record<string, string>> {
  const setHeaders = helmet({
    // The API serves no HTML; /docs sets its own policy.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  const request = new http.IncomingMessage(new Socket())
  const response = new http.ServerResponse(request)
  await new Promise<void>((resolve, reject) =>
    setHeaders(request, response, (error) => (error === undefined ? resolve() : reject(error))),
  )
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, `${value}`]),
  )
}

/**
 * Responds to input that is not valid HTTP and reaches no route: malformed, too large, too slow.
 */
function respondToClientError(
  this: FastifyInstance,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  const hasResponse = respondedEarly.get(socket)?.complete === false
  if (error.code === 'ECONNRESET' || !socket.writable || hasResponse) {
    socket.destroy()
    return
  }
  const [status, reason, code, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ([
          431,
          'Request Header Fields Too Large',
          'HEADERS_TOO_LARGE',
          'The headers are too large',
        ] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([
            408,
            'Request Timeout',
            'REQUEST_TIMEOUT',
            'The request took too long to arrive',
          ] as const)
        : ([400, 'Bad Request', 'REQUEST_MALFORMED', 'This is not a valid HTTP request'] as const)
  endWith(socket, { statusCode: status, error: reason, code, message, requestId: randomUUID() })
}

/** Responds where no request is, and closes the connection. */
function endWith(socket: Duplex, error: ErrorBody): void {
  socket.on('error', () => socket.destroy())
  const body = JSON.stringify(error)
  socket.end(
    `HTTP/1.1 ${error.statusCode} ${error.error}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/**
 * Rejects, in this API's own error format, what Node and the CORS plugin would otherwise reject in
 * theirs: a missing or repeated Host header (RFC 9112, 3.2), an expectation other than 100-continue
 * (RFC 9110, 10.1.1), and an OPTIONS that is no preflight. The server must be created with
 * `requireHostHeader: false`.
 */
function checkMessages(app: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>()
  app.server.on('checkExpectation', (request, response) => {
    unmet.add(request)
    app.server.emit('request', request, response)
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request
    const hosts = countHosts(raw.rawHeaders)
    if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) return done(new HostInvalidError())
    if (unmet.has(raw)) return done(new ExpectationUnknownError())
    const { origin, 'access-control-request-method': method } = headers
    if (request.method === 'OPTIONS' && (origin === undefined || method === undefined))
      return reply.callNotFound()
    done()
  })
}

/** @param rawHeaders names and values in turn, as they came */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1
  return hosts
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The JSON body exactly as received, for routes that forward it byte for byte; empty when there
     * was none.
     */
    bodyText: string
  }
}

/**
 * Parses JSON without losing digits: a number that a double cannot hold becomes text. A price of
 * 0.1234567890123456789 is rejected or forwarded, never rounded.
 */
function parseJson(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  try {
    done(null, readJson(request, body))
  } catch (cause) {
    done(cause instanceof BodyTooComplexError ? cause : new BodyNotJsonError({ cause }))
  }
}

/**
 * Undefined for an empty body: the route decides whether it needs one.
 * @throws when the body is not JSON, or has too many values
 */
function readJson(request: FastifyRequest, body: Buffer): unknown {
  if (!isUtf8(body)) throw new SyntaxError('not UTF-8')
  request.bodyText = body.toString()
  if (request.bodyText.trim() === '') return undefined
  checkValues(request.bodyText)
  const parsed = parseLossless(request.bodyText)
  if (parsed === undefined) throw new SyntaxError('not JSON, or nested too deep')
  return parsed.value
}
