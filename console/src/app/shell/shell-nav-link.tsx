import { NavLink } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { Icon, type IconName } from '../../components/icons.tsx'
import { isCurrent } from '../addresses.ts'
import classes from './shell.module.css'

interface ShellNavLinkProps {
  readonly label: string
  readonly address: string
  readonly icon?: IconName
  readonly badge?: ReactNode
  readonly onNavigate: () => void
}

/** A link of the sidebar that knows whether it is the current page. */
export function ShellNavLink({ label, address, icon, badge, onNavigate }: ShellNavLinkProps) {
  const [location] = useLocation()
  const isActive = isCurrent(address, location)
  return (
    <NavLink
      component={Link}
      href={address}
      label={label}
      leftSection={icon === undefined ? undefined : <Icon name={icon} />}
      rightSection={badge}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      className={classes.sidebarLink ?? ''}
      onClick={onNavigate}
    />
  )
}
