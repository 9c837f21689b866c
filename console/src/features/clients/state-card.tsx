import { Alert, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  type ClientLimits,
  changeClientLimits,
  type EffectiveState,
  effectiveState,
  type LimitsWithUsage,
  replaceClientLimits,
} from 'schema'
import { useRefusal } from '../../api/role.ts'
import { RoleOnly } from '../../api/role-only.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import * as limitsTexts from './limits-texts.ts'
import classes from './state-card.module.css'

/** From the laxest to the strictest. */
export const STATES = ['active', 'reducing', 'halted'] as const

interface StateCardProps {
  readonly limits: LimitsWithUsage
  readonly isPending: boolean
  readonly onState: (state: ClientLimits['state']) => void
  readonly onMode: (mode: ClientLimits['mode']) => void
}

/** What holds for the client, and whether its limits are enforced. */
export function StateCard({ limits, isPending, onState, onMode }: StateCardProps) {
  const state = limitsTexts.state
  const mode = limitsTexts.mode
  const isWide = useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false })
  const isShadow = limits.mode === 'shadow'
  const holds = effectiveState(limits, limits.stopped !== null, Date.now())
  const refusal = useRefusal(changeClientLimits)
  const laxerRefusal = useRefusal(replaceClientLimits)
  const now = STATES.indexOf(limits.state)
  const refusalOf = (place: number) => (place < now ? laxerRefusal : refusal)
  const reason = refusal ?? (now > 0 ? laxerRefusal : undefined)
  return (
    <Card title={state.title}>
      <Stack gap="md">
        {(holds === 'stopped' || holds === 'expired') && (
          <Alert variant="light" color="red" icon={<Icon name="ban" />}>
            {state[holds]}
          </Alert>
        )}
        <SegmentedControl
          aria-label={state.label}
          fullWidth
          withItemsBorders
          orientation={isWide === false ? 'vertical' : 'horizontal'}
          readOnly={isPending}
          className={classes.states ?? ''}
          value={limits.state}
          onChange={(next) => onState(STATES.find((each) => each === next) ?? limits.state)}
          data={STATES.map((value, place) => ({
            value,
            disabled: place !== now && refusalOf(place) !== undefined,
            label: (
              <>
                <strong>{limitsTexts.states[value]}</strong>
                <span className={classes.meaning}>{meaningOf(value, limits, holds)}</span>
              </>
            ),
          }))}
        />
        {reason !== undefined && (
          <Text fz="sm" c="dimmed">
            {reason}
          </Text>
        )}
        {isShadow && limits.state !== 'active' && (
          <Alert variant="light" color="yellow" icon={<Icon name="alert" />}>
            {state.notEnforced}
          </Alert>
        )}
        <RoleOnly endpoint={replaceClientLimits}>
          <Switch
            label={mode.label}
            description={isShadow ? mode.shadow : mode.enforce}
            checked={!isShadow}
            disabled={isPending}
            onChange={() => onMode(isShadow ? 'enforce' : 'shadow')}
          />
        </RoleOnly>
      </Stack>
    </Card>
  )
}

/** What a state means for the client as it is now. */
function meaningOf(
  state: ClientLimits['state'],
  { mode }: Pick<ClientLimits, 'mode'>,
  holds: EffectiveState,
): string {
  const { later, meanings, unlimited } = limitsTexts.state
  if (holds === 'stopped' || holds === 'expired') return later[state]
  if (mode === 'enforce') return meanings[state]
  return state === 'active' ? unlimited : later[state]
}
