import { Anchor, Paper, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import classes from './stat-card.module.css'

interface StatCardProps {
  readonly label: string
  /** Undefined while there is no number yet. */
  readonly value: ReactNode | undefined
  /** What the number counts, in a few words. */
  readonly hint?: string
  /** Leads to where the number comes from. */
  readonly link?: { readonly text: string; readonly href: string }
  /** Shown in place of the number while it loads; a grey bar of its height when absent. */
  readonly placeholder?: ReactNode
}

/** One number with its name. */
export function StatCard({ label, value, hint, link, placeholder }: StatCardProps) {
  return (
    <Paper withBorder p="md" className={classes.card}>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>
        {value ?? placeholder ?? <Skeleton height={24} width={72} my={4} />}
      </dd>
      {hint !== undefined && (
        <Text component="dd" className={classes.hint} c="dimmed">
          {hint}
        </Text>
      )}
      {link !== undefined && (
        <dd className={classes.hint}>
          <Anchor component={Link} fz="inherit" href={link.href}>
            {link.text}
          </Anchor>
        </dd>
      )}
    </Paper>
  )
}

/** Four numbers in a row, two in a row on narrow screens. */
export function StatCards({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.cards}>{children}</dl>
}
