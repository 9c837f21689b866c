import type { FastifyServerOptions } from 'fastify'
import { pathOf } from './errors.ts'

/** pino's options for production: one JSON object per line, without secrets. */
export function loggerOptions(
  level: string,
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level,
    redact: {
      paths: [
        'req.headers.authorization',
        'headers.authorization',
        '*.apiKey',
        '*.apiSecret',
        '*.passphrase',
        '*.password',
        '*.clientSecret',
        '*.token',
        '*.totp',
        '*.recoveryCode',
        '*.recoveryCodes',
      ],
      censor: '[redacted]',
    },
    serializers: {
      req: (request: { method: string; url: string }) => ({
        method: request.method,
        path: pathOf(request.url),
      }),
    },
  }
}
