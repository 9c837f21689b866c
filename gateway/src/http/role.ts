import { createError } from '@fastify/error'
import type { Role } from 'schema'

const ForbiddenError = createError<[has: Role, needed: Role]>(
  'ROLE_FORBIDDEN',
  'Your role is %s; this needs the role %s',
  403,
)

/** The role of a person does not cover what was asked for. */
export class RoleForbiddenError extends ForbiddenError {
  /** The least role that may do it; in the response too. */
  readonly role: Role
  constructor(has: Role, needed: Role) {
    super(has, needed)
    this.role = needed
  }
}
