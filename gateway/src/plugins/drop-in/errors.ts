import { createError } from '@fastify/error'

/** JSON and forms are UTF-8; other bytes could not be signed exactly as they are sent. */
export class BodyNotTextError extends createError(
  'BODY_NOT_TEXT',
  'The body is not valid UTF-8. Nothing was sent',
  400,
) {
  readonly sent = false
}
