import { Link } from 'wouter'
import { Mark } from '../../components/mark.tsx'
import { addresses } from '../addresses.ts'
import classes from './shell.module.css'
import * as texts from './texts.ts'

/** The mark; leads to the overview. */
export function Brand() {
  return (
    <Link href={addresses.overview} aria-label={texts.brand} className={classes.brand ?? ''}>
      <Mark size={32} />
    </Link>
  )
}
