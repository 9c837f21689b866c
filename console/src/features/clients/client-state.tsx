import { Alert, Badge, SegmentedControl, Stack, Switch, type SwitchProps } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import {
  type ClientLimitChanges,
  type ClientLimits,
  changeClientLimits,
  type EffectiveState,
  effectiveState,
  getClientLimits,
  type LimitsWithUsage,
  listClients,
  replaceClientLimits,
} from 'schema'
import { useSWRConfig } from 'swr'
import { attempt } from '../../api/failures.tsx'
import { queryKey, useLiveQuery } from '../../api/queries.tsx'
import { RoleOnly, useRefusal } from '../../api/role.tsx'
import { useAction } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { Icon } from '../../components/icons.tsx'
import { Card, Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import classes from './client-page.module.css'
import * as texts from './client-page-texts.ts'
import { type ClientRecord, STATE_COLOURS } from './use-clients.ts'

/** How often the use of the limits is read. */
export const USAGE_EVERY_MS = 5000

export const useClientLimits = (id: number) =>
  useLiveQuery(getClientLimits, USAGE_EVERY_MS, false, { params: { id } })

/** Changes limits of a client; the page shows the response at once. */
export function useChangeLimits(id: number) {
  const { mutate } = useSWRConfig()
  // Until the page has the new limits, with which the next changes are compared.
  const [isPending, setPending] = useState(false)
  const { trigger } = useAction(changeClientLimits, { readAgain: [listClients] })
  const change = async (body: ClientLimitChanges): Promise<LimitsWithUsage | undefined> => {
    setPending(true)
    try {
      const response: Partial<LimitsWithUsage> | undefined = await trigger({ params: { id }, body })
      const key = queryKey(getClientLimits, { params: { id } })
      // Carried out, also when the response does not say how: then the limits are read again.
      if (response?.usage === undefined) return await mutate<LimitsWithUsage>(key)
      return await mutate(key, response as LimitsWithUsage, { revalidate: false })
    } finally {
      setPending(false)
    }
  }
  return { change, isPending }
}

type Change = Pick<Partial<ClientLimits>, 'state' | 'mode' | 'secretAsBearer'>

/** From the laxest to the strictest. */
const STATES = ['active', 'reducing', 'halted'] as const

/** Changes one switch of a client at once; what allows more than now is confirmed first. */
export function useChangeState(id: number, limits: LimitsWithUsage | undefined) {
  const { change, isPending } = useChangeLimits(id)
  const set = async (next: Change) => {
    const { done, ...question } = wordsOf(next)
    const act = async () => {
      await change(next)
      toast({ title: texts.changed, message: done })
    }
    if (limits !== undefined && isLaxer(next, limits)) await confirm({ ...question, act })
    else await attempt(act)
  }
  return { set: (next: Change) => void set(next), isPending }
}

function isLaxer({ state, mode, secretAsBearer }: Change, now: ClientLimits): boolean {
  if (state !== undefined) return STATES.indexOf(state) < STATES.indexOf(now.state)
  return secretAsBearer === true || (mode === 'shadow' && now.mode === 'enforce')
}

/** What is asked before a change that allows more, and what is said after any. */
function wordsOf({ state, mode, secretAsBearer }: Change) {
  if (state !== undefined)
    return texts.state.change(texts.states[state], texts.state.meanings[state])
  if (mode !== undefined) return { ...texts.mode.question, done: texts.mode.done[mode] }
  const { question, on, off } = texts.bearer
  return { ...question, done: secretAsBearer ? on : off }
}

interface ClientBadgesProps {
  readonly client: ClientRecord
  readonly limits: LimitsWithUsage
}

/** What holds for the client now, in words. */
export function ClientBadges({ client, limits }: ClientBadgesProps) {
  const state = effectiveState(limits, limits.stopped !== null, Date.now())
  const badges = [
    ...(client.isActive ? [] : [[texts.inactive, 'gray'] as const]),
    ...(limits.mode === 'shadow' ? [[texts.shadow, 'blue'] as const] : []),
    [texts.states[state], STATE_COLOURS[state]] as const,
  ]
  return badges.map(([words, colour]) => (
    <Badge key={words} size="lg" variant="light" color={colour}>
      {words}
    </Badge>
  ))
}

interface StateCardProps {
  readonly limits: LimitsWithUsage
  readonly isPending: boolean
  readonly onChange: (change: Change) => void
}

/** What holds for the client, and whether its limits are enforced. */
export function StateCard({ limits, isPending, onChange }: StateCardProps) {
  const { state, mode } = texts
  const isWide = useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false })
  const isShadow = limits.mode === 'shadow'
  const holds = effectiveState(limits, limits.stopped !== null, Date.now())
  const refusal = useRefusal(changeClientLimits)
  const laxerRefusal = useRefusal(replaceClientLimits)
  const now = STATES.indexOf(limits.state)
  const refusalOf = (place: number) => (place < now ? laxerRefusal : refusal)
  const reason = refusal ?? (now > 0 ? laxerRefusal : undefined)
  useActions(() => [
    ...STATES.map((value, place) => ({
      label: state.change(texts.states[value], '').label,
      does: texts.does.state(state.meanings[value], place < now),
      run: () => onChange({ state: value }),
      when: place !== now && !isPending && refusalOf(place) === undefined,
    })),
  ])
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
          onChange={(next) =>
            onChange({ state: STATES.find((each) => each === next) ?? limits.state })
          }
          data={STATES.map((value, place) => ({
            value,
            disabled: place !== now && refusalOf(place) !== undefined,
            label: (
              <>
                <strong>{texts.states[value]}</strong>
                <span className={classes.meaning}>{meaningOf(value, limits, holds)}</span>
              </>
            ),
          }))}
        />
        {reason !== undefined && <Quiet>{reason}</Quiet>}
        {isShadow && limits.state !== 'active' && (
          <Alert variant="light" color="yellow" icon={<Icon name="alert" />}>
            {state.notEnforced}
          </Alert>
        )}
        <LimitSwitch
          label={mode.label}
          action={isShadow ? mode.label : mode.question.label}
          description={mode[limits.mode]}
          does={texts.does[limits.mode]}
          checked={!isShadow}
          disabled={isPending}
          onChange={() => onChange({ mode: isShadow ? 'enforce' : 'shadow' })}
        />
      </Stack>
    </Card>
  )
}

interface LimitSwitchProps extends Pick<SwitchProps, 'mt' | 'description' | 'checked'> {
  readonly label: string
  /** What it does when pressed, where the label does not say it. */
  readonly action?: string
  readonly does: string
  readonly disabled: boolean
  readonly onChange: () => void
}

/** A switch of a client's limits; the palette has it too. */
export function LimitSwitch({ action, does, ...look }: LimitSwitchProps) {
  const { label, disabled, onChange } = look
  const isAllowed = useRefusal(replaceClientLimits) === undefined
  useActions(() => [{ label: action ?? label, does, run: onChange, when: isAllowed && !disabled }])
  return (
    <RoleOnly endpoint={replaceClientLimits}>
      <Switch {...look} />
    </RoleOnly>
  )
}

/** What a state means for the client as it is now. */
function meaningOf(
  state: ClientLimits['state'],
  { mode }: Pick<ClientLimits, 'mode'>,
  holds: EffectiveState,
): string {
  const { later, meanings, unlimited } = texts.state
  if (holds === 'stopped' || holds === 'expired') return later[state]
  if (mode === 'enforce') return meanings[state]
  return state === 'active' ? unlimited : later[state]
}
