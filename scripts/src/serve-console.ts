import { existsSync } from 'node:fs'
import fastifyCompress from '@fastify/compress'
import fastifyStatic from '@fastify/static'
import fastify from 'fastify'
import helmet from 'helmet'

interface ServeConsoleOptions {
  /** Folder of the built console, absolute. */
  readonly dist: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /**
   * The gateway's base URL as browsers reach it: given out in `/config.json` and allowed by the
   * policy.
   */
  readonly gatewayUrl: string
  /** Whether the sign-in page asks the gateway for other ways than a password. */
  readonly openId?: boolean
}

interface ConsoleServer {
  readonly url: string
  readonly close: () => Promise<void>
}

const HOUR = 'public, max-age=3600'
const YEAR = 'public, max-age=31536000, immutable'
const SITE = '/docs/guide/'

/**
 * Serves the built console as it is deployed: start page for unknown paths, 404 for missing assets,
 * files with a hash in their name cached for a year, the start page and `/config.json` never, the
 * documentation at `/docs/guide/`, and the production headers. The caller closes it.
 */
export async function serveConsole(options: ServeConsoleOptions): Promise<ConsoleServer> {
  const { dist, host, port, gatewayUrl, openId = false } = options
  const app = fastify({ forceCloseConnections: true })

  const setHeaders = helmet(securityHeaders(new URL(gatewayUrl).origin))
  // Only a directive that is a function could fail.
  app.addHook('onRequest', (request, reply, done) =>
    setHeaders(request.raw, reply.raw, () => done()),
  )
  await app.register(fastifyCompress, { global: true })
  app.get('/config.json', (_, reply) =>
    reply.header('cache-control', 'no-store').send({ gatewayUrl, ...(openId ? { openId } : {}) }),
  )
  await app.register(fastifyStatic, {
    root: dist,
    redirect: true,
    cacheControl: false,
    setHeaders: (reply, path) => reply.header('cache-control', cachingOf(path.slice(dist.length))),
  })
  for (const path of ['/docs', '/docs/', '/docs/guide'])
    app.get(path, (_, reply) => reply.header('cache-control', HOUR).redirect(SITE))
  const hasSite = existsSync(`${dist}${SITE}404.html`)
  app.setNotFoundHandler(({ method, url }, reply) => {
    const isOfSite = url.startsWith(SITE)
    const isPage = method === 'GET' && !url.startsWith('/assets/')
    if (isPage && !isOfSite) return reply.code(200).sendFile('index.html')
    reply.code(404).header('cache-control', 'no-store')
    if (isPage && hasSite) return reply.sendFile(`${SITE}404.html`)
    return reply.type('text/plain').send('Not found')
  })

  await app.listen({ host, port })
  const address = app.server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  return { url: `http://${host}:${boundPort}`, close: () => app.close() }
}

/**
 * Scripts from this server only, no framing, calls to itself and the gateway. Mantine writes style
 * elements at run time.
 */
function securityHeaders(gatewayOrigin: string) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", gatewayOrigin],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // Served on plain http by the demo; a proxy that terminates TLS adds it.
    strictTransportSecurity: false,
  } as const
}

function cachingOf(path: string): string {
  if (/^(\/docs\/guide)?\/assets\//.test(path)) return YEAR
  return path.endsWith('.html') ? 'no-store' : HOUR
}
