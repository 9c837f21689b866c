import { parseArgs } from 'node:util'
import httpProxy from '@fastify/http-proxy'
import replyFrom from '@fastify/reply-from'
import fastify from 'fastify'
import { CONNECTIONS_MAX } from './load.ts'

// A peer of the gateway benchmark, in a process of its own: a Fastify that only passes on.
const { values } = parseArgs({
  options: {
    proxy: { type: 'string', default: '' },
    upstream: { type: 'string', default: '' },
  },
})
const undici = { connections: CONNECTIONS_MAX, pipelining: 1 }
const app = fastify()
if (values.proxy === 'http-proxy') {
  await app.register(httpProxy, { upstream: values.upstream, undici })
} else {
  await app.register(replyFrom, { base: values.upstream, undici })
  // The body is passed on as it comes.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.all('/*', (request, reply) => reply.from(request.url))
}
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ address: app.server.address() })
process.on('disconnect', () => process.exit(0))
