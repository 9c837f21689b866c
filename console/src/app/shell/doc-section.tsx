import { Badge } from '@mantine/core'
import type { DocPage } from 'schema'
import { useLocation } from 'wouter'
import { isCurrent } from '../addresses.ts'
import { NavGroup } from './nav-group.tsx'
import { ShellNavLink } from './shell-nav-link.tsx'

interface DocSectionProps {
  readonly title: string
  readonly pages: readonly DocPage[]
  readonly onNavigate: () => void
}

/** The documentation pages of one section, with their count badges. */
export function DocSection({ title, pages, onNavigate }: DocSectionProps) {
  const [location] = useLocation()
  return (
    <NavGroup label={title} isCurrent={pages.some(({ path }) => isCurrent(path, location))}>
      {pages.map(({ label, path, badge }) => (
        <ShellNavLink
          key={path}
          label={label}
          address={path}
          badge={
            badge !== undefined && (
              <Badge size="sm" variant="light" color="gray" circle>
                {badge}
              </Badge>
            )
          }
          onNavigate={onNavigate}
        />
      ))}
    </NavGroup>
  )
}
