import { Link } from 'wouter'
import { Mark } from '../../components/mark.tsx'
import { addresses } from '../addresses.ts'
import classes from './shell.module.css'

/** The mark; leads to the overview. */
export function Brand() {
  return (
    <Link href={addresses.overview} aria-label="Sluice, overview" className={classes.brand ?? ''}>
      <Mark size={32} />
    </Link>
  )
}
