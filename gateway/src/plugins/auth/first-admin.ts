import type { AdminStore } from '../../store/admin-store.ts'
import { gatewayAuthor } from '../../store/audit-chain.ts'
import type { Passwords } from '../../vault/password.ts'

export interface FirstAdminDeps {
  readonly admins: Pick<AdminStore, 'count' | 'insert'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly nowMs: () => number
}

/** Creates the administrator that the configuration names, if there is no administrator yet. */
export async function createFirstAdmin(
  { admins, passwords, nowMs }: FirstAdminDeps,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  if ((await admins.count()) > 0) return
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
