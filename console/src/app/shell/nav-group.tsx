import { NavLink } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { Icon } from '../../components/icons.tsx'
import classes from './shell.module.css'

interface NavGroupProps {
  readonly label: string
  readonly isStrong?: boolean
  readonly children: ReactNode
}

/**
 * A part of the sidebar that starts folded. Folded, its content is not in the page: no Tab stop,
 * nothing to read.
 */
export function NavGroup({ label, isStrong = false, children }: NavGroupProps) {
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
