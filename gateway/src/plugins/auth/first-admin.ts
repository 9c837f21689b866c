import { createError } from '@fastify/error'
import type { AdminStore } from '../../store/admin-store.ts'
import { gatewayAuthor } from '../../store/audit-chain.ts'
import { requireGoodPassword } from '../../vault/new-password.ts'
import type { Passwords } from '../../vault/password.ts'

interface FirstAdminDeps {
  readonly admins: Pick<AdminStore, 'count' | 'insert'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly nowMs: () => number
}

/** At start: nobody should be created with this password. It is not repeated. */
const FirstPasswordError = createError<[reason: string, options?: ErrorOptions]>(
  'FIRST_PASSWORD',
  'The first administrator cannot be created with this ADMIN_PASSWORD: %s',
)

/**
 * Creates the administrator that the configuration names, if there is no administrator yet.
 * @throws FirstPasswordError
 */
export async function createFirstAdmin(
  { admins, passwords, nowMs }: FirstAdminDeps,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  if ((await admins.count()) > 0) return
  await requireGoodPassword(password, email).catch((error: Error) => {
    throw new FirstPasswordError(error.message, { cause: error })
  })
  const passwordHash = await passwords.hash(password)
  const createdAtMs = nowMs()
  await admins.insert(
    { email, passwordHash, createdAtMs },
    {
      author: gatewayAuthor(createdAtMs),
      ...{ action: 'admin.created', subjectKind: 'admin', subject: email },
      after: { from: 'ADMIN_EMAIL' },
    },
  )
}
