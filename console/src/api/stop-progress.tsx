import { Alert, Anchor, Loader, Text } from '@mantine/core'
import { EXCHANGE_NAMES, type Stop } from 'schema'
import { Link } from 'wouter'
import { formatDuration, formatRoughly } from '../components/format.ts'
import { formatDateTime } from '../components/format-time.ts'
import { Icon } from '../components/icons.tsx'
import { useNow } from '../components/use-now.ts'
import classes from './stop-progress.module.css'
import { isUnderWay } from './stop-state.ts'
import * as texts from './stop-texts.ts'

/** A stop that is in force: whose it is, how far it is, and which orders may still be open. */
export function StopProgress({ stop }: { readonly stop: Stop }) {
  const { reason, startedAt, startedBy, failed, unreachable } = stop
  const by = startedBy === 'gateway' ? texts.byGateway : startedBy
  return (
    <>
      <Alert
        variant="light"
        color="red"
        p="sm"
        icon={<Icon name="ban" />}
        title={<span className={classes.anywhere}>{reason}</span>}
      >
        <span className={classes.anywhere}>
          {texts.startedBy(by ?? null, formatDateTime(startedAt))}
        </span>
      </Alert>
      <div role="status" className={classes.progress}>
        {isUnderWay(stop) && <Loader size={14} aria-hidden="true" />}
        <span>{progressOf(stop)}</span>
      </div>
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
          <ul className={classes.failed}>
            {failed.map((order) => (
              <FailedOrder
                key={`${order.exchange} ${order.orderId} ${order.clientOrderId}`}
                order={order}
              />
            ))}
          </ul>
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
      {`${[EXCHANGE_NAMES[exchange], symbol ?? ''].join(' ').trim()} `}
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
