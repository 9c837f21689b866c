import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { BodyNotTextError } from './errors.ts'

/** Takes every body as the text that came, whatever its type: it passes on byte for byte, in `request.bodyText`. */
export function takeBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isUtf8(body)) {
      done(new BodyNotTextError())
      return
    }
    request.bodyText = body.toString()
    done(null, request.bodyText)
  })
}
