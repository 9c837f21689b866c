import { createError } from '@fastify/error'

export const ApprovalNotFoundError = createError<[id: number]>(
  'APPROVAL_NOT_FOUND',
  'No approval has the id "%s". Decided approvals are removed after LOG_RETENTION_DAYS',
  404,
)

export const ApprovalDecidedError = createError<[state: string]>(
  'APPROVAL_DECIDED',
  'This no longer waits for approval; it is %s',
  409,
)

export const ApprovalOutdatedError = createError<[why: string]>(
  'APPROVAL_OUTDATED',
  'This can no longer be approved: %s. Ask for it again',
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
