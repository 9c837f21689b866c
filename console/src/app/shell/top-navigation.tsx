import { Group } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { isCurrent } from '../addresses.ts'
import { topLinks } from './links.ts'
import classes from './shell.module.css'
import * as texts from './texts.ts'

/** The four links of the header on wide screens. */
export function TopNavigation() {
  const [location] = useLocation()
  return (
    <Group component="nav" aria-label={texts.mainNavigation} gap={4} wrap="nowrap">
      {topLinks.map(({ label, address }) => (
        <Link
          key={address}
          href={address}
          className={classes.topLink ?? ''}
          aria-current={isCurrent(address, location) ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </Group>
  )
}
