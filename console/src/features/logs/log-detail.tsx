import { ActionIcon, Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { botErrors, EXCHANGE_NAMES, type LogEntry } from 'schema'
import useSWR from 'swr'
import { CopyButton } from '../../components/copy.tsx'
import { formatMs, formatOrder } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { Details, OrderLink, Quiet } from '../../components/page.tsx'
import { InlineCode } from '../../components/short-text.tsx'
import { MethodTag, StatusTag } from '../../components/signs.tsx'
import * as texts from './detail-texts.ts'
import { filterBy, isError, type LogFilter, openEntry } from './log-filter.ts'
import { formatCsvTime, type LogLine, zoneName } from './log-lines.ts'
import { filtersOf } from './log-row.tsx'
import classes from './logs.module.css'
import { nothing } from './texts.ts'

interface LogDetailProps {
  readonly line: LogLine
  /** Beside the list, which stays in use; not over it. */
  readonly isBeside: boolean
  readonly onClose: () => void
  /** Goes to the next newer (-1) or older (1) entry of the list; undefined: there is none. */
  readonly onNewer: (() => void) | undefined
  readonly onOlder: (() => void) | undefined
}

/** Everything the gateway reports about one request, in a drawer as high as the window. */
export default function LogDetail(props: LogDetailProps) {
  const { isBeside, onClose } = props
  if (isBeside) return <SidePanel {...props} />
  const drawer = { inner: classes.overPage ?? '', content: classes.drawer ?? '' }
  return (
    <Modal opened onClose={onClose} title={texts.title} returnFocus={false} classNames={drawer}>
      <Content {...props} />
    </Modal>
  )
}

function SidePanel(props: LogDetailProps) {
  const panel = useRef<HTMLElement>(null)
  // Arrow keys and Escape work at once, and a screen reader begins to read.
  useEffect(() => panel.current?.focus({ preventScroll: true }), [])
  return (
    <section
      ref={panel}
      role="dialog"
      aria-label={texts.title}
      tabIndex={-1}
      className={classes.panel}
    >
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={2} fz="md">
          {texts.title}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.close} onClick={props.onClose}>
          <Icon name="close" size={16} />
        </ActionIcon>
      </Group>
      <Content {...props} />
    </section>
  )
}

function Content({ line: { entry }, onNewer, onOlder }: LogDetailProps) {
  return (
    <>
      <Headline entry={entry} />
      <Details rows={factsOf(entry)} />
      <Group mt="md" gap="xs">
        <Step label={texts.newer} onClick={onNewer} />
        <Step label={texts.older} onClick={onOlder} />
        {filtersOf(entry).map(({ name, changes }) => (
          <Button key={name} variant="light" size="xs" onClick={() => showOnly(changes)}>
            {texts.only[name]}
          </Button>
        ))}
      </Group>
    </>
  )
}

/** Closes the details: their entry may be none of the list then. */
function showOnly(changes: Partial<LogFilter>): void {
  openEntry('')
  filterBy(changes)
}

function Step({ label, onClick }: { readonly label: string; onClick: (() => void) | undefined }) {
  return (
    // Not `disabled`: at the end of the list it would lose the focus, and the keys with it.
    <Button variant="default" size="xs" aria-disabled={onClick === undefined} onClick={onClick}>
      {label}
    </Button>
  )
}

/** The message of an error, then what to do about it. */
function Headline({ entry: { code, message, statusCode } }: { readonly entry: LogEntry }) {
  const help = useErrorHelp()
  if (!isError(statusCode)) return null
  const known = code ? help?.[code] : undefined
  const todo =
    botErrors.find((error) => error.code === code)?.todo ?? (known && texts.advice[known.again])
  return (
    <Stack gap={4} mb="sm" style={{ overflowWrap: 'anywhere' }}>
      {(message ?? known?.means) !== undefined && (
        <Text fw={700}>{message ?? <InlineCode text={known?.means ?? ''} />}</Text>
      )}
      {code && <Text fz="sm">{texts.forPerson.find(([codes]) => codes.test(code))?.[1]}</Text>}
      {known !== undefined && todo !== undefined && (
        <Quiet fz="xs">
          {texts.forBot}{' '}
          <InlineCode text={message === undefined ? todo : `${known.means} ${todo}`} />
        </Quiet>
      )}
    </Stack>
  )
}

/**
 * What the error codes mean, from the page for authors of bots. A page of an older version, whose
 * files are gone, shows the message alone.
 */
const useErrorHelp = () =>
  useSWR('error help', async () => (await import('virtual:error-help')).errorHelp).data

type Fact = readonly [name: string, value: ReactNode]

function factsOf(entry: LogEntry): readonly Fact[] {
  const { method, endpoint, statusCode, code, clientId, exchange, timestamp, note } = entry
  const { facts } = texts
  const ms = (value: number | null | undefined, none: string = nothing) =>
    value === null || value === undefined ? none : formatMs(value)
  const only = (name: string, value: ReactNode): readonly Fact[] =>
    value === undefined || value === null || value === false || value === '' ? [] : [[name, value]]
  return [
    [facts.call, <MethodTag key="method" method={method} />],
    [facts.endpoint, endpoint],
    [facts.status, <StatusTag key="status" status={statusCode} />],
    ...only(facts.code, code),
    ...only(facts.asked, formatOrder(entry.order)),
    ...only(facts.note, note),
    [facts.client, clientId ?? nothing],
    [facts.exchange, exchange ? EXCHANGE_NAMES[exchange] : nothing],
    ...[...new Set([zoneName('local'), 'UTC'])].map(
      (zone): Fact => [
        `${facts.time}, ${zone}`,
        formatCsvTime(timestamp, zone === 'UTC' ? 'utc' : 'local') ?? nothing,
      ],
    ),
    [facts.took, ms(entry.responseTime)],
    [facts.queue, ms(entry.queueTime)],
    [facts.upstream, ms(entry.upstreamTime, facts.notSent)],
    [facts.shared, entry.shared ? facts.isShared : facts.isOwn],
    [facts.requestId, <RequestId key="id" id={entry.requestId} />],
    ...only(facts.order, mayBeOrder(entry) && <OrderLink requestId={entry.requestId} />),
  ]
}

/** It changes something at an exchange. */
function mayBeOrder({ method, exchange, requestId }: LogEntry): boolean {
  return method !== 'GET' && Boolean(exchange) && Boolean(requestId)
}

function RequestId({ id }: { readonly id: string | undefined }) {
  if (!id) return nothing
  return (
    <Group gap={4} wrap="nowrap">
      <code>{id}</code>
      <CopyButton value={id} label={texts.facts.requestId} />
    </Group>
  )
}
