import { type Endpoint, hasRole, type Role, roleOf } from 'schema'
import * as texts from './role-texts.ts'
import { useSession } from './session.ts'

/** A session that an older version stored has no role; the gateway decides anyway. */
export const useRole = (): Role => useSession(({ session }) => session?.user.role ?? 'admin')

/** Whether a role may call an endpoint, as the gateway's guard decides it. */
export const mayCall = (role: Role, endpoint: Endpoint) => hasRole(role, roleOf(endpoint))

/** Why the person may not call an endpoint; undefined when they may. */
export function useRefusal(endpoint: Endpoint): string | undefined {
  const role = useRole()
  return mayCall(role, endpoint) ? undefined : texts.needs(role, roleOf(endpoint))
}
