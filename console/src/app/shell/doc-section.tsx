import { Badge } from '@mantine/core'
import type { DocPage } from 'schema'
import { NavGroup } from './nav-group.tsx'
import { ShellNavLink } from './shell-nav-link.tsx'

interface DocSectionProps {
  readonly title: string
  readonly pages: readonly DocPage[]
  readonly onNavigate: () => void
}

/** The documentation pages of one section, with their count badges. */
export function DocSection({ title, pages, onNavigate }: DocSectionProps) {
  return (
    <NavGroup label={title}>
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
