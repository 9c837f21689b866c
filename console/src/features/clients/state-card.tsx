import { Alert, SegmentedControl, Stack, Switch } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ClientLimits, LimitsWithUsage } from 'schema'
import { replaceClientLimits } from 'schema'
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
  return (
    <Card title={state.title}>
      <Stack gap="md">
        <SegmentedControl
          aria-label={state.label}
          fullWidth
          withItemsBorders
          orientation={isWide === false ? 'vertical' : 'horizontal'}
          readOnly={isPending}
          className={classes.states ?? ''}
          value={limits.state}
          onChange={(next) => onState(STATES.find((each) => each === next) ?? limits.state)}
          data={STATES.map((value) => ({
            value,
            label: (
              <>
                <strong>{limitsTexts.states[value]}</strong>
                <span className={classes.meaning}>{state.meanings[value]}</span>
              </>
            ),
          }))}
        />
        {limits.stopped !== null && (
          <Alert variant="light" color="red" icon={<Icon name="ban" />}>
            {state.stopped}
          </Alert>
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
