import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { cloneElement, type MouseEvent, type ReactElement, type ReactNode } from 'react'
import { type Endpoint, hasRole, type Role, roleOf } from 'schema'
import { Icon, type IconName } from '../components/icons.tsx'
import { EmptyNote, PageHeader } from '../components/page.tsx'
import { useActions } from '../components/use-actions.ts'
import { useSession } from './session.ts'
import * as texts from './texts.ts'

/** A session that an older version stored has no role; the gateway decides anyway. */
export const useRole = (): Role => useSession(({ session }) => session?.user.role ?? 'admin')

/** Whether a role may call an endpoint, as the gateway's guard decides it. */
export const mayCall = (role: Role, endpoint: Endpoint) => hasRole(role, roleOf(endpoint))

/** Why the person may not call an endpoint; undefined when they may. */
export function useRefusal(endpoint: Endpoint): string | undefined {
  const role = useRole()
  return mayCall(role, endpoint) ? undefined : texts.needs(role, roleOf(endpoint))
}

interface RolePageProps {
  /** What the page reads. */
  readonly endpoint: Endpoint
  readonly title: string
  readonly children: ReactNode
}

/** A page for those whose role may read it; for others, why they may not. */
export function RolePage({ endpoint, title, children }: RolePageProps) {
  const refusal = useRefusal(endpoint)
  if (refusal === undefined) return children
  return (
    <>
      <PageHeader title={title} description={refusal} />
      <EmptyNote icon="shield" title={texts.notAdmin} hint={texts.notAdminHint} />
    </>
  )
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

interface ActionButtonProps extends Omit<ButtonProps, 'leftSection' | 'children'> {
  readonly label: string
  /** Its name where the label alone does not say of what; contains the label. */
  readonly name?: string
  /** What it will do, for the palette. */
  readonly does: string
  readonly run: () => void
  readonly icon?: IconName
  /** What it calls, at once or in the end; undefined when anybody may press it. */
  readonly endpoint?: Endpoint
  /** Of a row, whose name is in its own: in the palette once something is typed. */
  readonly isOfRow?: boolean
  /** It sends the form that it is in, where a press of it does what `run` does. */
  readonly isSubmit?: boolean
  /** Whether the palette offers it. */
  readonly when?: boolean
}

/** What can be done on a page: a button there, and an action of the palette. */
export function ActionButton(props: ActionButtonProps) {
  const { label, name = label, does, run, icon, endpoint, isOfRow = false, ...rest } = props
  const { isSubmit = false, when = true, ...look } = rest
  const { disabled = false, size = 'sm' } = look
  const role = useRole()
  useActions(() => [
    {
      ...{ label: name, does, run, isOfRow, ...(icon && { icon }) },
      when: when && !disabled && (endpoint === undefined || mayCall(role, endpoint)),
    },
  ])
  const button = (
    <Button
      variant="default"
      aria-label={name === label ? undefined : name}
      leftSection={icon && <Icon name={icon} size={size === 'sm' ? 16 : 14} />}
      {...(isSubmit ? { type: 'submit' } : { onClick: run })}
      {...look}
    >
      {label}
    </Button>
  )
  return endpoint === undefined ? button : <RoleOnly endpoint={endpoint}>{button}</RoleOnly>
}
