import { Alert, Loader, Text } from '@mantine/core'
import { EXCHANGE_NAMES, type Stop } from 'schema'
import { formatCount, formatDuration, formatRoughly } from '../components/format.ts'
import { formatDateTime } from '../components/format-time.ts'
import { Icon } from '../components/icons.tsx'
import { useNow } from '../components/use-now.ts'
import classes from './stop-progress.module.css'
import { isUnderWay } from './stop-state.ts'
import * as stopTexts from './stop-texts.ts'

const figures = stopTexts.figures
const failedTexts = stopTexts.failed

/** A stop that is in force: how far it is, and what it could not cancel. */
export function StopProgress({ stop }: { readonly stop: Stop }) {
  const { reason, startedAt, completedAt, failed, unreachable, estimateSeconds } = stop
  const { cancelled, total, remaining } = stop
  return (
    <>
      <Alert
        variant="light"
        color="red"
        icon={<Icon name="ban" />}
        title={<span className={classes.anywhere}>{stopTexts.inForce(reason)}</span>}
      >
        {stopTexts.since(formatDateTime(startedAt))}
      </Alert>
      <div role="status" className={classes.progress}>
        {isUnderWay(stop) && <Loader size={14} aria-hidden="true" />}
        {completedAt === null
          ? stopTexts.underWay
          : stopTexts.complete(formatDateTime(completedAt))}
        {isUnderWay(stop) && estimateSeconds !== null && (
          <span>{stopTexts.estimate(formatDuration(estimateSeconds * 1000))}</span>
        )}
      </div>
      {unreachable.map(({ exchange, message }) => (
        <Text key={exchange} fz="sm" fw={600} className={classes.anywhere}>
          {message}
        </Text>
      ))}
      <dl className={classes.figures}>
        <Figure name={figures.dropped} value={formatCount(stop.dropped)} />
        <Figure name={figures.inFlight} value={formatCount(stop.inFlight)} />
        <Figure
          name={figures.cancelled}
          value={stopTexts.ofTotal(formatCount(cancelled), formatCount(total))}
        />
        {total > 0 && (
          <Figure
            name={figures.remaining}
            value={formatCount(remaining)}
            isAlarming={failed.length > 0}
          />
        )}
      </dl>
      {failed.length > 0 && (
        <div>
          <Text fz="sm" fw={600}>
            {failedTexts.title}
          </Text>
          <ul className={classes.failed}>
            {failed.map((order) => (
              <li key={`${order.exchange} ${order.orderId} ${order.clientOrderId}`}>
                {`${[
                  EXCHANGE_NAMES[order.exchange],
                  order.symbol,
                  failedTexts.order(order.orderId ?? order.clientOrderId ?? '–'),
                ].join(' ')}: ${order.message}`}
                <Tries order={order} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

/** How often a cancel of an order was sent, and when last. */
function Tries({ order: { tries, lastTriedAt } }: { readonly order: Stop['failed'][number] }) {
  const nowMs = useNow(lastTriedAt !== null)
  if (lastTriedAt === null) return null
  const ago = formatRoughly(Math.max(0, nowMs - Date.parse(lastTriedAt)))
  return ` (${stopTexts.tried(stopTexts.times(tries), ago)})`
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly isAlarming?: boolean
}

function Figure({ name, value, isAlarming = false }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-alarming={isAlarming}>
        {isAlarming && <Icon name="alert" size={16} />}
        {value}
      </dd>
    </div>
  )
}
