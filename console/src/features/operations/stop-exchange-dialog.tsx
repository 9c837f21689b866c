import { EXCHANGE_NAMES, type ExchangeNow, previewExchangeStop, type StopRequest } from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { StopDialog } from './stop-dialog.tsx'
import * as texts from './texts.ts'
import { useStopExchange } from './use-operations-actions.ts'

interface StopExchangeDialogProps {
  /** As the gateway has it now. */
  readonly now: Pick<ExchangeNow, 'exchange' | 'stop'>
  /** Whether the working orders are cancelled unless a person chooses otherwise. */
  readonly cancels: boolean
  readonly onClose: () => void
}

const words = texts.exchange

/** Stops an exchange, and shows what the gateway did. */
export function StopExchangeDialog({ now, cancels, onClose }: StopExchangeDialogProps) {
  const { exchange, stop } = now
  const { trigger, isPending } = useStopExchange()
  const name = EXCHANGE_NAMES[exchange]
  const send = async (body: StopRequest) => {
    try {
      await trigger({ params: { exchange }, body })
    } catch (failure) {
      reportFailure(failure)
    }
  }
  return (
    <StopDialog
      title={words.stop(name)}
      description={words.stopDescription}
      what={name}
      label={words.stop(name)}
      preview={{ endpoint: previewExchangeStop, input: { params: { exchange } } }}
      stop={stop}
      cancels={cancels}
      isPending={isPending}
      onStop={(body) => void send(body)}
      onClose={onClose}
    />
  )
}
