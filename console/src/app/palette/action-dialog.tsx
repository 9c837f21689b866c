import { useEffect, useEffectEvent } from 'react'
import { type ExchangeCode, getOperations, type ListedClient } from 'schema'
import { StopDialog } from '../../api/stop-dialog.tsx'
import { useResuming } from '../../api/stop-state.ts'
import { useQuery } from '../../api/use-query.ts'
import { useStartGuard } from './use-start-guard.ts'

/** A command that is carried out once a person has confirmed it. */
export type AskedAction =
  | { readonly what: 'halt' | 'stop' | 'resume'; readonly client: ListedClient }
  | { readonly what: 'stop'; readonly exchange: ExchangeCode; readonly cancels: boolean }
  | { readonly what: 'resume'; readonly exchange: ExchangeCode }
  | { readonly what: 'stop everything' | 'resume everything' }

interface ActionDialogProps {
  readonly asked: AskedAction
  readonly onClose: () => void
}

/** The question of the Operations page for a command. */
export function ActionDialog({ asked, onClose }: ActionDialogProps) {
  useStartGuard()
  const { what } = asked
  if (what === 'resume' || what === 'resume everything')
    return <Resume asked={asked} onClose={onClose} />
  if ('client' in asked)
    return (
      <StopDialog
        of={{ client: asked.client }}
        way={what === 'halt' ? 'halted' : 'stopped'}
        onClose={onClose}
      />
    )
  if ('exchange' in asked)
    return (
      <StopDialog
        of={{ exchange: asked.exchange }}
        cancels={'cancels' in asked && asked.cancels}
        onClose={onClose}
      />
    )
  return <StopDialog of="everything" onClose={onClose} />
}

/** Asks at once; the question is beside all pages. */
function Resume({ asked, onClose }: ActionDialogProps) {
  const resuming = useResuming()
  const { data } = useQuery(getOperations)
  const ask = useEffectEvent(async () => {
    if ('client' in asked) await resuming.client(asked.client)
    else if ('exchange' in asked) {
      const now = data?.exchanges.find(({ exchange }) => exchange === asked.exchange)
      await resuming.exchange(asked.exchange, now?.stop ?? null)
    } else await resuming.everything()
    onClose()
  })
  useEffect(() => void ask(), [])
  return null
}
