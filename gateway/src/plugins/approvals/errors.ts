import { createError } from '@fastify/error'

export const ApprovalNotFoundError = createError<[id: number]>(
  'APPROVAL_NOT_FOUND',
  'No approval has the id "%s"; it may be older than the log is kept',
  404,
)

export const ApprovalDecidedError = createError<[state: string]>(
  'APPROVAL_DECIDED',
  'This does not wait any more; it is %s',
  409,
)

export const ApprovalOutdatedError = createError<[why: string]>(
  'APPROVAL_OUTDATED',
  'This cannot be approved any more: %s. Ask for it again',
  409,
)

export const OwnRequestError = createError(
  'OWN_REQUEST',
  'You asked for this yourself; another admin has to decide. You can withdraw it',
  403,
)

export const NotOwnRequestError = createError(
  'NOT_OWN_REQUEST',
  'Somebody else asked for this; you can reject it instead of withdrawing it',
  403,
)
