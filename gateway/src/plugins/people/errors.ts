import { createError } from '@fastify/error'

export const PersonNotFoundError = createError<[id: string]>(
  'PERSON_NOT_FOUND',
  'Nobody has the id "%s"',
  404,
)

export const SessionNotFoundError = createError<[id: string]>(
  'SESSION_NOT_FOUND',
  'You have no valid session with the id "%s"; it may have ended',
  404,
)
