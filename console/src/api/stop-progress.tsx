import { Alert, Loader, Text } from '@mantine/core'
import { EXCHANGE_NAMES, type Stop } from 'schema'
import { formatDateTime } from '../components/format-time.ts'
import { Icon } from '../components/icons.tsx'
import classes from './stop-progress.module.css'
import { isUnderWay } from './stop-state.ts'
import * as stopTexts from './stop-texts.ts'

const figures = stopTexts.figures
const failedTexts = stopTexts.failed

/** A stop that is in force: how far it is, and what it could not cancel. */
export function StopProgress({ stop }: { readonly stop: Stop }) {
  const { reason, startedAt, completedAt, failed } = stop
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
      </div>
      <dl className={classes.figures}>
        {(['dropped', 'inFlight', 'cancelled'] as const).map((name) => (
          <Figure key={name} name={figures[name]} value={stop[name]} />
        ))}
        <Figure name={figures.failed} value={failed.length} isAlarming={failed.length > 0} />
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
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: number
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
