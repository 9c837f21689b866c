import type { ReactNode } from 'react'
import classes from './details.module.css'

interface DetailsProps {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names and values, one under the other. */
export function Details({ rows }: DetailsProps) {
  return (
    <dl className={classes.details}>
      {rows.map(([name, value]) => (
        <div key={name} className={classes.row}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
