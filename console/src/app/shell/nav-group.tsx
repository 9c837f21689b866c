import { NavLink } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { Icon } from '../../components/icons.tsx'
import classes from './shell.module.css'

interface NavGroupProps {
  readonly label: string
  readonly isStrong?: boolean
  /** The current page is inside; shown while it is folded. */
  readonly isCurrent?: boolean
  readonly children: ReactNode
}

/**
 * A part of the sidebar that starts folded. Folded, its content is not in the page: no Tab stop,
 * nothing to read.
 */
export function NavGroup({ label, isStrong = false, isCurrent = false, children }: NavGroupProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <NavLink
        component="button"
        type="button"
        label={label}
        fw={isStrong ? 600 : 400}
        className={classes.sidebarLink ?? ''}
        active={isCurrent && !isOpen}
        aria-current={isCurrent && !isOpen ? 'true' : undefined}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        rightSection={
          <Icon
            name="chevronRight"
            size={14}
            style={{ transform: isOpen ? 'rotate(90deg)' : undefined }}
          />
        }
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <div id={id} className={classes.nested}>
          {children}
        </div>
      )}
    </>
  )
}
