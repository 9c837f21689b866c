import { EXCHANGE_NAMES, EXCHANGES } from 'schema'
import classes from './shell.module.css'
import * as texts from './texts.ts'

// Fixed texts: never bound to data, so that nobody takes them for a measurement.
const LINES: readonly (readonly [name: string, value: string])[] = [
  [texts.status, texts.online],
  ...EXCHANGES.map((each) => [texts.connection(EXCHANGE_NAMES[each]), texts.connected] as const),
]

export function SystemStatus() {
  return (
    <section aria-label={texts.status}>
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
