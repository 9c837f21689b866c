import { createError } from '@fastify/error'

export const MetricsLocalOnlyError = createError(
  'METRICS_LOCAL_ONLY',
  'Without METRICS_TOKEN, metrics are served only to direct requests from this machine; set it and send it as a bearer token',
  403,
)

export class MetricsTokenInvalidError extends createError(
  'METRICS_TOKEN_INVALID',
  'The metrics need their own token: send "Authorization: Bearer <METRICS_TOKEN>"',
  401,
) {
  readonly headers = { 'www-authenticate': 'Bearer' }
}
