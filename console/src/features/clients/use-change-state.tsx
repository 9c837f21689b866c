import { type ReactNode, useState } from 'react'
import type { ClientLimits, LimitsWithUsage } from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { toast } from '../../components/toast.tsx'
import { LaxerDialog } from './laxer-dialog.tsx'
import * as limitsTexts from './limits-texts.ts'
import { STATES } from './state-card.tsx'
import { useChangeLimits } from './use-client-limits.ts'

type Change = Pick<Partial<ClientLimits>, 'state' | 'mode'>

/** Changes state and mode of a client; a laxer one is confirmed first, in the `dialog`. */
export function useChangeState(id: number, limits: LimitsWithUsage | undefined) {
  const { change, isPending } = useChangeLimits(id)
  const [asked, setAsked] = useState<Change | null>(null)

  const apply = async (body: Change) => {
    try {
      await change(body)
      toast({ title: limitsTexts.changed, message: wordsOf(body) })
    } catch (error) {
      reportFailure(error)
    }
    setAsked(null)
  }
  const set = (next: Change) => {
    if (limits !== undefined && isLaxer(next, limits)) setAsked(next)
    else void apply(next)
  }
  const dialog: ReactNode = asked && (
    <LaxerDialog
      {...asked}
      isPending={isPending}
      onConfirm={() => void apply(asked)}
      onCancel={() => setAsked(null)}
    />
  )
  return { set, isPending, dialog }
}

function isLaxer({ state, mode }: Change, now: ClientLimits): boolean {
  if (state !== undefined) return STATES.indexOf(state) < STATES.indexOf(now.state)
  return mode === 'shadow' && now.mode === 'enforce'
}

function wordsOf({ state, mode }: Change): string {
  if (state !== undefined) return limitsTexts.state.changed(limitsTexts.states[state])
  return mode === 'shadow' ? limitsTexts.mode.shadowed : limitsTexts.mode.enforced
}
