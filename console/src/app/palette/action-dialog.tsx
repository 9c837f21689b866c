import { type ExchangeCode, getOperations, type ListedClient } from 'schema'
import { useQuery } from '../../api/use-query.ts'
import { ResumeExchangeDialog } from '../../features/operations/exchange-stop.tsx'
import { HaltDialog } from '../../features/operations/halt-dialog.tsx'
import { ResumeClientDialog } from '../../features/operations/resume-client-dialog.tsx'
import { StopClientDialog } from '../../features/operations/stop-client-dialog.tsx'
import { ResumeAllDialog, StopAllDialog } from '../../features/operations/stop-everything.tsx'
import { StopExchangeDialog } from '../../features/operations/stop-exchange-dialog.tsx'
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
  const { data } = useQuery(getOperations)
  if ('client' in asked) {
    const { what, client } = asked
    if (what === 'halt') return <HaltDialog client={client} onClose={onClose} />
    if (what === 'stop') return <StopClientDialog client={client} onClose={onClose} />
    const isStopped = client.state === 'stopped'
    return <ResumeClientDialog client={client} isStopped={isStopped} onClose={onClose} />
  }
  if ('exchange' in asked) {
    const { exchange } = asked
    const stop = data?.exchanges.find((now) => now.exchange === exchange)?.stop ?? null
    const now = { exchange, stop }
    if (asked.what === 'resume') return <ResumeExchangeDialog now={now} onClose={onClose} />
    return <StopExchangeDialog now={now} cancels={asked.cancels} onClose={onClose} />
  }
  if (asked.what === 'stop everything') return <StopAllDialog onClose={onClose} />
  return <ResumeAllDialog onClose={onClose} />
}
