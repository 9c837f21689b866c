import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { Mark } from '../../components/mark.tsx'
import { addresses } from '../addresses.ts'
import classes from './shell.module.css'

/** The mark and, where there is room, the name; leads to the overview. */
export function Brand({ isCompact }: { readonly isCompact: boolean }) {
  return (
    <Link href={addresses.overview} aria-label="Sluice, overview" className={classes.brand}>
      <Mark size={30} />
      {!isCompact && (
        <Text component="span" fw={700} fz="lg" mr="lg">
          Sluice
        </Text>
      )}
    </Link>
  )
}
