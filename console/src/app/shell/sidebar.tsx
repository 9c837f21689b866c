import { Box, Group, Paper, Text, UnstyledButton } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { type DocLink, docLinks, EXCHANGE_NAMES, EXCHANGES } from 'schema'
import { Link, useLocation } from 'wouter'
import { useOperationsOfStrip } from '../../api/queries.tsx'
import { mayCall, useRole } from '../../api/role.tsx'
import { Icon, type IconName } from '../../components/icons.tsx'
import { Tag } from '../../components/signs.tsx'
import { addresses, DOCUMENTATION, isCurrent } from '../addresses.ts'
import { Brand, SchemeButton } from './header.tsx'
import { navigation, type ShellLink, topLinks } from './links.ts'
import classes from './shell.module.css'
import * as texts from './texts.ts'

/** Of this console: its build writes them (`vite.config.ts`). */
const VERSION: string = import.meta.env.VERSION
/** Empty when it is unknown. */
const COMMIT: string = import.meta.env.COMMIT

const LINE = '1px solid var(--mantine-color-default-border)'

interface SidebarProps {
  /** On narrow screens it is the menu's panel: the top links are in it, under their names. */
  readonly isPanel: boolean
  readonly onNavigate: () => void
}

export function Sidebar({ isPanel, onNavigate }: SidebarProps) {
  const role = useRole()
  const approvals = useApprovals()
  return (
    <>
      <Group gap={12} mih={56} px="md" py={8} wrap="nowrap" style={{ borderBottom: LINE }}>
        {!isPanel && <Brand />}
        <div>
          <Text fw={700} fz="lg" lh={1.2}>
            {texts.name}
          </Text>
          <Text fz="xs" c="dimmed">
            {texts.subtitle}
          </Text>
        </div>
        <Box ml="auto">{isPanel && <SchemeButton />}</Box>
      </Group>
      <Box flex={1} mih={0} p={12} style={{ overflow: 'hidden auto', scrollbarWidth: 'thin' }}>
        <nav aria-label={isPanel ? texts.mainNavigation : texts.sectionNavigation}>
          {navigation.map(({ title, links }) => (
            <LinkGroup key={title} title={title}>
              {links
                .filter(({ needs }) => needs === undefined || mayCall(role, needs))
                .filter(({ address }) => approvals.areUsed || address !== addresses.approvals)
                .map((link) => (isPanel ? inPanel(link) : link))
                .map((link) => (
                  <SidebarLink
                    key={link.address}
                    {...link}
                    badge={
                      link.address === addresses.approvals &&
                      approvals.waiting > 0 && <WaitingApprovals count={approvals.waiting} />
                    }
                    onNavigate={onNavigate}
                  />
                ))}
            </LinkGroup>
          ))}
        </nav>
        <ExchangeGroups onNavigate={onNavigate} />
      </Box>
      <Box p="sm">
        <SystemStatus />
        <a href={DOCUMENTATION} className={classes.documentation}>
          {texts.documentation}
        </a>
        <Text fz="xs" c="dimmed" ta="center" component="footer" title={texts.commit(COMMIT)}>
          {texts.version(VERSION)}
        </Text>
      </Box>
    </>
  )
}

const inPanel = (link: ShellLink) =>
  topLinks.find(({ address }) => isCurrent(address, link.address)) ?? link

function LinkGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <Box role="group" aria-labelledby={id} mb={10}>
      <Text id={id} fz="xs" fw={600} c="dimmed" px="sm" mb={2}>
        {title}
      </Text>
      {children}
    </Box>
  )
}

interface SidebarLinkProps {
  readonly label: string
  readonly address: string
  readonly icon?: IconName
  readonly badge?: ReactNode
  readonly onNavigate: () => void
}

/** A link of the sidebar that knows whether it is the current page. */
function SidebarLink({ label, address, icon, badge, onNavigate }: SidebarLinkProps) {
  const [location] = useLocation()
  const isActive = isCurrent(address, location)
  return (
    <Link
      href={address}
      aria-current={isActive ? 'page' : undefined}
      className={classes.sidebarLink ?? ''}
      onClick={onNavigate}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{label}</span>
      {badge}
    </Link>
  )
}

/** Whether the gateway requires a second admin, or something waits for one from before. */
function useApprovals() {
  const { data } = useOperationsOfStrip()
  const [path] = useLocation()
  const waiting = data?.alerts.filter(({ name }) => name === 'approval.waiting').length ?? 0
  const isOpen = isCurrent(addresses.approvals, path)
  return { waiting, areUsed: waiting > 0 || isOpen || data?.requiresSecondAdmin === true }
}

/** How many requests wait for a second admin. */
function WaitingApprovals({ count }: { readonly count: number }) {
  return (
    <span role="img" aria-label={texts.waitingApprovals(count)}>
      <Tag colour="yellow">{count}</Tag>
    </span>
  )
}

/**
 * One folded group per exchange, and in it one folded section per kind of call, drawn from the
 * catalogue.
 */
function ExchangeGroups({ onNavigate }: Pick<SidebarProps, 'onNavigate'>) {
  return (
    <Box component="nav" aria-labelledby="exchange-apis">
      <Text id="exchange-apis" component="h2" fz="xs" fw={600} c="dimmed" px="sm" mb={4}>
        {texts.exchangeApis}
      </Text>
      {EXCHANGES.map((exchange) => {
        const pages = docLinks.filter((page) => page.exchange === exchange)
        const sections = Map.groupBy(pages, ({ section }) => section)
        return (
          <Folded key={exchange} label={EXCHANGE_NAMES[exchange]} pages={pages} isStrong>
            {[...sections].map(([section, ofSection]) => (
              <Folded key={section} label={section} pages={ofSection}>
                {ofSection.map(({ label, path, badge }) => (
                  <SidebarLink
                    key={path}
                    label={label}
                    address={path}
                    badge={badge !== undefined && <Tag colour="gray">{badge}</Tag>}
                    onNavigate={onNavigate}
                  />
                ))}
              </Folded>
            ))}
          </Folded>
        )
      })}
    </Box>
  )
}

interface FoldedProps {
  readonly label: string
  readonly pages: readonly DocLink[]
  readonly isStrong?: boolean
  readonly children: ReactNode
}

/**
 * A part of the sidebar that starts folded, and opens when the current page is in it. Folded, its
 * content is not in the page: no Tab stop, nothing to read.
 */
function Folded({ label, pages, isStrong = false, children }: FoldedProps) {
  const [location] = useLocation()
  const current = pages.find(({ path }) => isCurrent(path, location))?.path
  const [isOpen, setOpen] = useState(current !== undefined)
  const [openedFor, setOpenedFor] = useState(current)
  // Another page: open for it, whatever the person did before.
  if (current !== openedFor) {
    setOpenedFor(current)
    if (current !== undefined) setOpen(true)
  }
  const id = useId()
  const holds = current !== undefined && !isOpen
  return (
    <>
      <UnstyledButton
        fw={isStrong ? 600 : 400}
        className={classes.sidebarLink ?? ''}
        aria-current={holds ? 'true' : undefined}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{label}</span>
        <Icon
          name="chevronRight"
          size={14}
          style={{ transform: isOpen ? 'rotate(90deg)' : undefined }}
        />
      </UnstyledButton>
      {isOpen && (
        <Box id={id} ml={18} pl={6} style={{ borderLeft: LINE }}>
          {children}
        </Box>
      )}
    </>
  )
}

// Fixed texts: never bound to data, so that nobody takes them for a measurement.
const LINES: readonly (readonly [name: string, value: string])[] = [
  [texts.status, texts.online],
  ...EXCHANGES.map((each) => [texts.connection(EXCHANGE_NAMES[each]), texts.connected] as const),
]

/** Its words stay; a green dot beside them would be a lie while something is not well. */
function SystemStatus() {
  const { data, error } = useOperationsOfStrip()
  const isWell =
    error === undefined && (data?.exchanges.every(({ state }) => state === 'running') ?? true)
  return (
    <section aria-label={texts.status} title={texts.statusIsFixed}>
      <Paper component="dl" withBorder px={12} py={10} m={0} bg="var(--sluice-canvas)">
        {LINES.map(([name, value]) => (
          <Group key={name} justify="space-between" fz="xs" lh={1.9}>
            <dt>{name}</dt>
            <Group component="dd" gap={6} m={0} fw={600}>
              {isWell && (
                <Box w={8} h={8} bdrs={4} bg="var(--sluice-ink-green)" aria-hidden="true" />
              )}
              <span>{value}</span>
            </Group>
          </Group>
        ))}
      </Paper>
    </section>
  )
}
