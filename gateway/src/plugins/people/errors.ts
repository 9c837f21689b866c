import { createError } from '@fastify/error'

export const PersonNotFoundError = createError<[id: string]>(
  'PERSON_NOT_FOUND',
  'Nobody has the id "%s"',
  404,
)

/** The provider states it at each sign-in. */
export const RoleFromProviderError = createError<[provider: string]>(
  'ROLE_FROM_PROVIDER',
  'The role of this person is the one that %s states; change it there',
  409,
)

/** Whether it needs an approval was looked at before; it does now. */
export const PersonChangedError = createError(
  'PERSON_CHANGED',
  'The role of this person was changed at the same moment; look at it and try again',
  409,
)

export const NoPasswordError = createError<[provider: string]>(
  'NO_PASSWORD',
  'This account has no password: the person signs in at %s',
  409,
)

export const SessionNotFoundError = createError<[id: string]>(
  'SESSION_NOT_FOUND',
  'You have no valid session with the id "%s"; it may have ended',
  404,
)
