import { EXCHANGE_NAMES, EXCHANGES } from 'schema'
import classes from './shell.module.css'

// Fixed texts (docs/console-checklist.md, 50 and 51): never bound to data, so that nobody takes
// them for a measurement.
const LINES: readonly (readonly [name: string, value: string])[] = [
  ['System Status', 'Online'],
  ...EXCHANGES.map((exchange) => [`${EXCHANGE_NAMES[exchange]} Connection`, 'Connected'] as const),
]

export function SystemStatus() {
  return (
    <section aria-label="System Status">
      <dl className={classes.status}>
        {LINES.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className={classes.statusDot} aria-hidden="true" />
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
