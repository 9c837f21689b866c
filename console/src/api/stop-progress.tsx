import { Alert, Anchor, Box, Group, Loader, Text } from '@mantine/core'
import { ENDINGS, type Ending, EXCHANGE_NAMES, type Stop, type StopPreview } from 'schema'
import { Link } from 'wouter'
import { formatDateTime, formatDuration, formatRoughly } from '../components/format.ts'
import { Icon } from '../components/icons.tsx'
import { useNow } from '../components/timers.ts'
import { useLiveQuery } from './queries.tsx'
import classes from './stop-progress.module.css'
import { isUnderWay, type PreviewTarget, stopCallsOf } from './stop-state.ts'
import * as texts from './stop-texts.ts'
import { endings, preview as words } from './stop-texts.ts'

/** A stop that is in force: whose it is, how far it is, and which orders may still be open. */
export function StopProgress({ stop }: { readonly stop: Stop }) {
  const { reason, startedAt, startedBy, failed, unreachable } = stop
  const by = startedBy === 'gateway' ? texts.byGateway : startedBy
  return (
    <>
      <Alert
        color="red"
        p="sm"
        icon={<Icon name="ban" />}
        title={<span className={classes.anywhere}>{reason}</span>}
      >
        <span className={classes.anywhere}>
          {texts.startedBy(by ?? null, formatDateTime(startedAt))}
        </span>
      </Alert>
      <Group role="status" gap={8} wrap="nowrap" fz="sm" fw={600}>
        {isUnderWay(stop) && <Loader size={14} aria-hidden="true" />}
        <span>{progressOf(stop)}</span>
      </Group>
      {stop.inFlight > 0 && <Text fz="sm">{texts.inFlight(stop.inFlight)}</Text>}
      {unreachable.map(({ exchange, message }) => (
        <Text key={exchange} fz="sm" fw={600} className={classes.anywhere}>
          {message}
        </Text>
      ))}
      {failed.length > 0 && (
        <div>
          <Text fz="sm" fw={600}>
            {texts.failed.title(failed.length)}
          </Text>
          <Box component="ul" mt={4} mb={0} pl={20} fz="sm" className={classes.anywhere}>
            {failed.map((order) => (
              <FailedOrder
                key={`${order.exchange} ${order.orderId} ${order.clientOrderId}`}
                order={order}
              />
            ))}
          </Box>
        </div>
      )}
    </>
  )
}

/** `318 of 485 cancelled, about 1 min 20 s left, 0 failed`. */
function progressOf(stop: Stop): string {
  const { completedAt, cancelled, dropped, total, estimateSeconds, failed } = stop
  if (completedAt !== null) return texts.complete(formatDateTime(completedAt), cancelled, dropped)
  if (total === 0) return texts.begins
  const left = estimateSeconds === null ? null : formatDuration(estimateSeconds * 1000)
  return texts.underWay(cancelled, total, left, failed.length)
}

/** An order that may still be open; its id leads to what happened to it. */
function FailedOrder({ order }: { readonly order: Stop['failed'][number] }) {
  const { exchange, symbol, orderId, clientOrderId, message, tries, lastTriedAt } = order
  const nowMs = useNow(lastTriedAt !== null)
  const id = orderId ?? clientOrderId
  const agoMs = lastTriedAt === null ? null : Math.max(0, nowMs - Date.parse(lastTriedAt))
  return (
    <li>
      {symbol === null ? `${EXCHANGE_NAMES[exchange]} ` : `${EXCHANGE_NAMES[exchange]} ${symbol} `}
      {id === null ? (
        texts.failed.order('–')
      ) : (
        <Anchor
          component={Link}
          fz="inherit"
          underline="always"
          href={`/orders?${new URLSearchParams({ find: id })}`}
        >
          {texts.failed.order(id)}
        </Anchor>
      )}
      <span>
        {`: ${message}`}
        {agoMs !== null && ` (${texts.tried(texts.times(tries), formatRoughly(agoMs))})`}
      </span>
    </li>
  )
}

const EVERY_MS = 2000

interface EndingNoteProps {
  readonly of: PreviewTarget
  readonly way: Ending['way']
  /** Whether a stop cancels the open orders too. */
  readonly cancels?: boolean
}

/**
 * What an end of trading would do now, and what still passes then, in every way: for each question
 * that ends something.
 *
 *     <EndingNote of={{ client }} way="disabled" />
 */
export function EndingNote({ of, way, cancels = true }: EndingNoteProps) {
  const { preview, input } = stopCallsOf(of)
  const { data, error } = useLiveQuery(preview, EVERY_MS, false, input)
  const isFailed = data === undefined && error !== undefined
  return (
    <div>
      <Text fz="sm" fw={600} role="status" mih="1.55em">
        {data !== undefined && `${sentenceOf(way, data, cancels)}.`}
        {isFailed && words.failed}
      </Text>
      <details className={classes.endings}>
        <summary>{endings.title}</summary>
        <EndingsTable way={way} />
      </details>
    </div>
  )
}

/** `Drops 72 waiting requests, cancels 485 orders, about 4 min`. */
function sentenceOf(way: Ending['way'], preview: StopPreview, cancels: boolean): string {
  const { waiting, queued, workingOrders, estimateSeconds } = preview
  const kept = workingOrders === 0 ? words.noOrders : words.keeps(workingOrders)
  if (way === 'reducing') return `${words.checks(waiting)}, ${kept}`
  if (way === 'halted') return `${words.refuses(waiting)}, ${kept}`
  if (way === 'deleted' && workingOrders > 0)
    return `${words.drops(queued)}, ${words.forgets(workingOrders)}`
  if (way === 'disabled' || way === 'deleted' || way === 'dropped')
    return `${words.drops(queued)}, ${kept}`
  const drops = words.drops(waiting)
  if (!cancels || workingOrders === 0) return `${drops}, ${kept}`
  const when =
    estimateSeconds === null
      ? words.unreachable
      : words.within(formatDuration(estimateSeconds * 1000))
  return `${drops}, ${words.cancels(workingOrders)}, ${when}`
}

const PASSES = ['opens', 'closes', 'cancels', 'reads'] as const

/** Every way to end trading; the one that is chosen is marked. */
function EndingsTable({ way }: Pick<EndingNoteProps, 'way'>) {
  const { columns } = endings
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
    <div className={classes.scrolls} tabIndex={0}>
      <table aria-label={endings.title}>
        <thead>
          <tr>
            {Object.entries(columns).map(([key, name]) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ENDINGS.map((row) => (
            <tr key={row.way} aria-current={row.way === way}>
              <th scope="row">{endings.ways[row.way]}</th>
              {PASSES.map((what) => (
                <td key={what}>{row[what] ? endings.passes : endings.refused}</td>
              ))}
              <td>{endings.waiting[row.waiting]}</td>
              <td>{endings.working[row.working]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
