import {
  Anchor,
  type AnchorProps,
  Group,
  type GroupProps,
  Loader,
  Paper,
  Stack,
  Text,
  type TextProps,
  Title,
} from '@mantine/core'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Link } from 'wouter'
import { Icon, type IconName } from './icons.tsx'
import classes from './page.module.css'
import * as texts from './page-texts.ts'
import { MiddleCut } from './short-text.tsx'
import * as commonTexts from './texts.ts'

interface HeadProps {
  readonly description?: ReactNode
  /** At the right of the title. */
  readonly actions?: ReactNode
}

/** A heading, with what explains it and what can be done. */
function Head({ description, actions, children, ...rest }: HeadProps & GroupProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm" {...rest}>
      <div style={{ overflowWrap: 'anywhere' }}>
        {children}
        {description !== undefined && (
          <Text c="dimmed" fz="sm" mt={2}>
            {description}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}

let isFirstPage = true

/**
 * The heading of a page. It names the document and, after the first page, takes the focus: a change
 * of page is announced and the keyboard starts at its top.
 */
export function PageHeader({ title, ...rest }: HeadProps & { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])

  return (
    <header>
      <Head mb="lg" {...rest}>
        <Title order={1} fz="h2" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
        </Title>
      </Head>
    </header>
  )
}

interface CardProps extends HeadProps {
  readonly title: ReactNode
  readonly children: ReactNode
}

/** A titled part of a page; a region named by its heading. */
export function Card({ title, children, ...rest }: CardProps) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} withBorder p="lg">
      <Head mb="md" {...rest}>
        <Title order={2} fz="md" id={id} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
        </Title>
      </Head>
      {children}
    </Paper>
  )
}

interface QuietProps extends TextProps {
  readonly role?: 'status' | undefined
  readonly children: ReactNode
}

/** A line that does not compete with what it is about. */
export function Quiet({ children, ...rest }: QuietProps) {
  return (
    <Text fz="sm" c="dimmed" {...rest}>
      {children}
    </Text>
  )
}

interface DetailsProps {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[]
  /** Lays them out another way. */
  readonly className?: string | undefined
}

/** Names and values, one under the other. */
export function Details({ rows, className = classes.details }: DetailsProps) {
  return (
    <dl className={`${classes.pairs} ${className}`}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface EmptyNoteProps {
  readonly icon: IconName
  readonly title: string
  readonly hint?: string
  readonly action?: ReactNode
}

/** Shown in place of rows: that there are none, and what to do about it. */
export function EmptyNote({ icon, title, hint, action }: EmptyNoteProps) {
  return (
    <Stack align="center" gap={4} py="xl" ta="center">
      <Icon name={icon} size={28} style={{ color: 'var(--mantine-color-dimmed)' }} />
      <Text fw={600} mt="xs">
        {title}
      </Text>
      {hint !== undefined && (
        <Text c="dimmed" fz="sm">
          {hint}
        </Text>
      )}
      {action}
    </Stack>
  )
}

/** A spinner in the middle of the area that loads. */
export function PageSpinner({ label = commonTexts.loading }: { readonly label?: string }) {
  return (
    <Stack align="center" justify="center" gap={0} role="status" aria-label={label} mih="40vh">
      <Loader />
    </Stack>
  )
}

/** The parts of the Operations page that links elsewhere lead to. */
export const PARTS = {
  exchange: (exchange: string) => `exchange-${exchange}`,
  outcomes: 'open-outcomes',
  streams: 'account-streams',
} as const

/** A part of a page that an address with a hash leads to. */
export function PagePart({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  // The browser looked for it before the page was there.
  useEffect(() => {
    if (window.location.hash === `#${id}`) box.current?.scrollIntoView()
  }, [id])
  return (
    <div id={id} ref={box} style={{ scrollMarginTop: 104 }}>
      {children}
    </div>
  )
}

/** Leads from a request that places, changes or cancels an order to what happened to it. */
export function OrderLink({ requestId }: { readonly requestId: string }) {
  return (
    <PageLink href={`/orders?${new URLSearchParams({ find: requestId })}`}>{texts.order}</PageLink>
  )
}

interface PageLinkProps extends AnchorProps {
  readonly href: string
  readonly title?: string | undefined
  readonly 'aria-label'?: string
  readonly children: ReactNode
}

/** A link to a page of the console. */
export function PageLink(props: PageLinkProps) {
  return <Anchor component={Link} fz="sm" {...props} />
}

/** Above the title of a page: to the list that it is a part of. */
export function BackLink({ href, children }: Pick<PageLinkProps, 'href' | 'children'>) {
  return (
    <PageLink href={href} className={classes.back ?? ''}>
      <Icon name="chevronLeft" size={16} />
      {children}
    </PageLink>
  )
}

interface ClientLinkProps {
  readonly id: number
  readonly clientId: string
}

/** Leads to the page of a client; its id is cut in its middle where there is no room. */
export function ClientLink({ id, clientId }: ClientLinkProps) {
  const name = { title: clientId, 'aria-label': clientId }
  return (
    <PageLink href={`/client-credentials/${id}`} fw={500} fz="inherit" miw={0} {...name}>
      <MiddleCut text={clientId} />
    </PageLink>
  )
}
