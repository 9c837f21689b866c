import { Badge } from '@mantine/core'
import { effectiveState, type LimitsWithUsage } from 'schema'
import * as limitsTexts from './limits-texts.ts'
import type { ClientRecord } from './use-clients.ts'

interface ClientBadgesProps {
  readonly client: ClientRecord
  readonly limits: LimitsWithUsage
}

/** What holds for the client now, in words. */
export function ClientBadges({ client, limits }: ClientBadgesProps) {
  const state = effectiveState(limits, limits.stopped !== null, Date.now())
  return (
    <>
      {!client.isActive && (
        <Badge variant="light" color="gray">
          {limitsTexts.inactive}
        </Badge>
      )}
      {limits.mode === 'shadow' && (
        <Badge variant="light" color="blue">
          {limitsTexts.shadow}
        </Badge>
      )}
      <Badge variant="light" color={STATE_COLOURS[state]}>
        {limitsTexts.states[state]}
      </Badge>
    </>
  )
}

export const STATE_COLOURS = {
  active: 'green',
  reducing: 'yellow',
  halted: 'red',
  stopped: 'red',
  expired: 'gray',
} as const
