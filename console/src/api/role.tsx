import { Tooltip } from '@mantine/core'
import { cloneElement, type MouseEvent, type ReactElement } from 'react'
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

interface RoleOnlyProps {
  /** What the control calls, at once or in the end. */
  readonly endpoint: Endpoint
  /** A button or a switch that takes a ref. */
  readonly children: ReactElement<object>
}

/**
 * A control for those whose role covers what it calls. For others it does nothing and says why, to
 * the pointer, the keyboard, a finger and a screen reader: it stays focusable.
 */
export function RoleOnly({ endpoint, children }: RoleOnlyProps) {
  const reason = useRefusal(endpoint)
  if (reason === undefined) return children
  const refused = {
    // A switch keeps its colour, which says whether it is on.
    ...('checked' in children.props ? { style: { opacity: 0.6 } } : { 'data-disabled': true }),
    'aria-disabled': true,
    'aria-description': reason,
    onClick: (event: MouseEvent) => event.preventDefault(),
    onChange: () => {},
  }
  return <Tooltip label={reason}>{cloneElement(children, refused)}</Tooltip>
}
