import { AppShell, Badge, Box, ScrollArea, Text } from '@mantine/core'
import { listPeople } from 'schema'
import { useRefusal } from '../../api/role.ts'
import { useOperationsOfStrip } from '../../api/use-operations.ts'
import { Brand } from './brand.tsx'
import { ExchangeGroups } from './exchange-groups.tsx'
import {
  approvalsLink,
  auditLink,
  botLinks,
  operationsLink,
  peopleLink,
  sidebarLinks,
  topLinks,
} from './links.ts'
import { SchemeButton } from './scheme-button.tsx'
import classes from './shell.module.css'
import { ShellNavLink } from './shell-nav-link.tsx'
import { SystemStatus } from './system-status.tsx'
import * as texts from './texts.ts'

/** Of this console: its build writes them (`vite.config.ts`). */
const VERSION: string = import.meta.env.VERSION
/** Empty when it is unknown. */
const COMMIT: string = import.meta.env.COMMIT

interface SidebarProps {
  /**
   * On narrow screens it is the menu's panel: the top links stand in it once, in place of the
   * sidebar's own.
   */
  readonly isPanel: boolean
  readonly onNavigate: () => void
}

export function Sidebar({ isPanel, onNavigate }: SidebarProps) {
  const seesPeople = useRefusal(listPeople) === undefined
  return (
    <>
      <AppShell.Section className={classes.title}>
        {!isPanel && <Brand />}
        <div>
          <Text fw={700} fz="lg" lh={1.2}>
            {texts.name}
          </Text>
          <Text fz="xs" c="dimmed">
            {texts.subtitle}
          </Text>
        </div>
        {isPanel && <SchemeButton />}
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea} type="auto" scrollbarSize={6} px="sm" py="sm">
        <Box component="nav" aria-label={isPanel ? texts.mainNavigation : texts.sectionNavigation}>
          {(isPanel ? topLinks : sidebarLinks).map((link) => (
            <ShellNavLink key={link.address} {...link} onNavigate={onNavigate} />
          ))}
        </Box>
        <Box component="nav" aria-label={texts.operationsNavigation}>
          <ShellNavLink {...operationsLink} onNavigate={onNavigate} />
          <ShellNavLink {...auditLink} onNavigate={onNavigate} />
          {seesPeople && (
            <>
              <ShellNavLink {...peopleLink} onNavigate={onNavigate} />
              <ShellNavLink
                {...approvalsLink}
                badge={<WaitingApprovals />}
                onNavigate={onNavigate}
              />
            </>
          )}
        </Box>
        <ExchangeGroups onNavigate={onNavigate} />
        <Box component="nav" aria-label={texts.botNavigation} mt="md">
          {botLinks.map((link) => (
            <ShellNavLink key={link.address} {...link} onNavigate={onNavigate} />
          ))}
        </Box>
      </AppShell.Section>
      <AppShell.Section p="sm">
        <SystemStatus />
        <Text
          fz="xs"
          c="dimmed"
          mt="xs"
          ta="center"
          component="footer"
          title={texts.commit(COMMIT)}
        >
          {texts.version(VERSION)}
        </Text>
      </AppShell.Section>
    </>
  )
}

/** How many requests wait for a second admin; nothing while none does. */
function WaitingApprovals() {
  const { data } = useOperationsOfStrip()
  const count = data?.alerts.filter(({ name }) => name === 'approval.waiting').length ?? 0
  if (count === 0) return null
  return (
    <Badge size="sm" variant="light" color="yellow" aria-label={texts.waitingApprovals(count)}>
      {count}
    </Badge>
  )
}
