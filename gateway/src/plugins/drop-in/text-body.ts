import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkValues } from '../../exchanges/protocol/check-values.ts'
import { BodyNotTextError } from './errors.ts'

/**
 * Fifty orders with 2.5 KB each. The body is parsed several times on the event loop, so its length
 * is limited.
 */
const BODY_BYTES_MAX = 128 * 1024

/**
 * Takes every body as text, whatever its type, in `request.bodyText`: it is forwarded byte for
 * byte.
 */
export function takeBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX } as const
  app.addContentTypeParser('*', options, async (request: FastifyRequest, body: Buffer) => {
    if (!isUtf8(body)) throw new BodyNotTextError()
    request.bodyText = body.toString()
    checkValues(request.bodyText)
    return request.bodyText
  })
}
