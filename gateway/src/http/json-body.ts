import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { checkValues } from '../exchanges/protocol/check-values.ts'
import { BodyTooComplexError } from '../exchanges/protocol/errors.ts'
import { parseLossless } from '../exchanges/protocol/lossless.ts'
import { BodyNotJsonError } from './errors.ts'

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
export function parseJson(
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
