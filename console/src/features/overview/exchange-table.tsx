import { EXCHANGE_NAMES, type ExchangeStats } from 'schema'
import { Tag, type TagColour } from '../../components/tag.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'

const words = texts.rateLimit

const COLOURS: Record<string, TagColour> = {
  running: 'green',
  paused: 'yellow',
  broken: 'red',
  stopped: 'red',
}

/**
 * The lane of each exchange: its state, whether real money is behind it, what waits. Nothing when
 * none is reported.
 */
export function ExchangeTable({ exchanges }: { readonly exchanges: readonly ExchangeStats[] }) {
  if (exchanges.length === 0) return null
  return (
    <table className={classes.rows} aria-label={words.exchanges}>
      <thead>
        <tr>
          <th scope="col">{words.columns.exchange}</th>
          <th scope="col">{words.columns.state}</th>
          <th scope="col">{words.columns.waiting}</th>
        </tr>
      </thead>
      <tbody>
        {exchanges.map(({ exchange, state, reason, environment, queueSize }) => (
          <tr key={exchange}>
            <th scope="row">
              {EXCHANGE_NAMES[exchange] ?? exchange} <small>{environment}</small>
            </th>
            <td>
              <Tag colour={COLOURS[state] ?? 'gray'}>{state}</Tag>
              {reason != null && <small className={classes.reason}>{reason}</small>}
            </td>
            <td>{queueSize}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
