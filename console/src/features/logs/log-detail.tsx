import { ActionIcon, Button, Group, Modal, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { EXCHANGE_NAMES, type LogEntry } from 'schema'
import { CopyButton } from '../../components/copy-button.tsx'
import { Details } from '../../components/details.tsx'
import { formatMs } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { OrderLink } from '../../components/order-link.tsx'
import { MethodTag, StatusTag } from '../../components/tag.tsx'
import { ErrorAdvice } from './error-advice.tsx'
import type { LogFilter } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'
import { formatCsvTime, zoneName } from './log-time.ts'
import classes from './logs.module.css'
import * as texts from './texts.ts'

interface LogDetailProps {
  readonly line: LogLine
  /** Beside the list, not over it. */
  readonly isBeside: boolean
  readonly onClose: () => void
  /** Goes to the next newer (-1) or older (1) entry of the list; undefined: there is none. */
  readonly onNewer: (() => void) | undefined
  readonly onOlder: (() => void) | undefined
  /** Adds to the filters. */
  readonly onShow: (changes: Partial<LogFilter>) => void
}

/** Everything the gateway reports about one request. */
export function LogDetail(props: LogDetailProps) {
  const { isBeside, onClose } = props
  if (isBeside) return <SidePanel {...props} />
  return (
    <Modal opened onClose={onClose} title={texts.detail.title} size="lg" returnFocus={false}>
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
      aria-label={texts.detail.title}
      tabIndex={-1}
      className={classes.panel}
    >
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={3} fz="md">
          {texts.detail.title}
        </Title>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.detail.close}
          onClick={props.onClose}
        >
          <Icon name="close" size={16} />
        </ActionIcon>
      </Group>
      <Content {...props} />
    </section>
  )
}

function Content({ line: { entry }, onNewer, onOlder, onShow }: LogDetailProps) {
  const { endpoint, clientId, statusCode, code } = entry
  const detail = texts.detail
  return (
    <>
      <Details rows={factsOf(entry)} />
      <Group mt="md" gap="xs">
        <Step label={detail.newer} onClick={onNewer} />
        <Step label={detail.older} onClick={onOlder} />
        <Narrow onClick={() => onShow({ endpoint })}>{detail.onlyEndpoint}</Narrow>
        {clientId && (
          <Narrow onClick={() => onShow({ client: clientId })}>{detail.onlyClient}</Narrow>
        )}
        <Narrow onClick={() => onShow({ code: `${statusCode}` })}>{detail.onlyStatus}</Narrow>
        {code && <Narrow onClick={() => onShow({ search: code })}>{detail.onlyCode}</Narrow>}
      </Group>
    </>
  )
}

function Step({ label, onClick }: { readonly label: string; onClick: (() => void) | undefined }) {
  return (
    // Not `disabled`: at the end of the list it would lose the focus, and the keys with it.
    <Button variant="default" size="xs" aria-disabled={onClick === undefined} onClick={onClick}>
      {label}
    </Button>
  )
}

function Narrow({
  children,
  onClick,
}: {
  readonly children: string
  readonly onClick: () => void
}) {
  return (
    <Button variant="light" size="xs" onClick={onClick}>
      {children}
    </Button>
  )
}

type Fact = readonly [name: string, value: ReactNode]

function factsOf(entry: LogEntry): readonly Fact[] {
  const { method, endpoint, statusCode, code, clientId, exchange, timestamp, note } = entry
  const { facts } = texts.detail
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? texts.nothing : formatMs(value)
  const only = (name: string, value: ReactNode): readonly Fact[] =>
    value === undefined || value === null || value === '' ? [] : [[name, value]]
  return [
    [facts.call, <MethodTag key="method" method={method} />],
    [facts.endpoint, endpoint],
    [facts.status, <StatusTag key="status" status={statusCode} />],
    ...only(facts.code, code),
    ...only(facts.todo, code && <ErrorAdvice key={code} code={code} />),
    ...only(facts.note, note),
    [facts.client, clientId ?? texts.nothing],
    [facts.exchange, exchange ? EXCHANGE_NAMES[exchange] : texts.nothing],
    ...[...new Set([zoneName('local'), 'UTC'])].map(
      (zone): Fact => [
        `${facts.time}, ${zone}`,
        formatCsvTime(timestamp, zone === 'UTC' ? 'utc' : 'local') ?? texts.nothing,
      ],
    ),
    [facts.took, ms(entry.responseTime)],
    [facts.queue, ms(entry.queueTime)],
    [facts.upstream, ms(entry.upstreamTime)],
    [facts.shared, entry.shared ? facts.isShared : facts.isOwn],
    [facts.requestId, <RequestId key="id" id={entry.requestId} />],
    ...(mayBeOrder(entry)
      ? [[facts.order, <OrderLink key="order" requestId={entry.requestId} />] as const]
      : []),
  ]
}

/** It changes something at an exchange. */
function mayBeOrder({ method, exchange, requestId }: LogEntry): boolean {
  return method !== 'GET' && Boolean(exchange) && Boolean(requestId)
}

function RequestId({ id }: { readonly id: string | undefined }) {
  if (!id) return texts.nothing
  return (
    <Group gap={4} wrap="nowrap">
      <code>{id}</code>
      <CopyButton value={id} label={texts.detail.facts.requestId} />
    </Group>
  )
}
