import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  EXCHANGE_NAMES,
  type ExchangeNow,
  previewExchangeStop,
  resumeExchange,
  type StopRequest,
  stopExchange,
} from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { useRefusal } from '../../api/role.ts'
import { RoleOnly } from '../../api/role-only.tsx'
import { StopProgress } from '../../api/stop-progress.tsx'
import { isInForce, isUnderWay } from '../../api/stop-state.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import classes from './operations.module.css'
import { StopForm } from './stop-form.tsx'
import * as texts from './texts.ts'
import { useResumeExchange, useStopExchange } from './use-operations-actions.ts'

const words = texts.exchange

/** Stops an exchange; when it is stopped, how far that is and what ends it. */
export function ExchangeStop({ now }: { readonly now: ExchangeNow }) {
  const { exchange, state, stop } = now
  const name = EXCHANGE_NAMES[exchange]
  const { trigger, isPending } = useStopExchange()
  const [isResuming, setResuming] = useState(false)
  const isRefused = useRefusal(stopExchange) !== undefined

  const send = async (body: StopRequest) => {
    try {
      await trigger({ params: { exchange }, body })
    } catch (failure) {
      reportFailure(failure)
    }
  }
  if (state !== 'stopped') {
    return (
      <div className={classes.stop}>
        {isRefused && (
          <RoleOnly endpoint={stopExchange}>
            <Button color="red.9">{words.stop(name)}</Button>
          </RoleOnly>
        )}
        {!isRefused && (
          <StopForm
            what={name}
            label={words.stop(name)}
            preview={{ endpoint: previewExchangeStop, input: { params: { exchange } } }}
            isHeld
            cancels={false}
            isPending={isPending}
            onStop={(body) => void send(body)}
          />
        )}
        {stop !== null && stop.resumedAt !== null && (
          <Text fz="xs" c="dimmed" mt={6} className={classes.anywhere}>
            {words.last(
              stop.reason,
              formatDateTime(stop.startedAt),
              formatDateTime(stop.resumedAt),
            )}
          </Text>
        )}
      </div>
    )
  }
  const inForce = isInForce(stop) ? stop : null
  return (
    <Stack className={classes.stop} gap="sm">
      {inForce && <StopProgress stop={inForce} />}
      <Group gap="sm">
        <RoleOnly endpoint={resumeExchange}>
          <Button onClick={() => setResuming(true)}>{words.resume(name)}</Button>
        </RoleOnly>
        {inForce && !isUnderWay(inForce) && (
          <Button
            variant="default"
            disabled={isPending}
            onClick={() => void send({ reason: inForce.reason, cancelOrders: true })}
          >
            {inForce.failed.length > 0 ? words.retry : words.cancel}
          </Button>
        )}
      </Group>
      {isResuming && <ResumeExchangeDialog now={now} onClose={() => setResuming(false)} />}
    </Stack>
  )
}

interface ResumeExchangeDialogProps {
  readonly now: Pick<ExchangeNow, 'exchange' | 'stop'>
  readonly onClose: () => void
}

/** Asks before requests go to an exchange again. */
export function ResumeExchangeDialog({ now, onClose }: ResumeExchangeDialogProps) {
  useFocusReturn()
  const { trigger, isPending } = useResumeExchange()
  const name = EXCHANGE_NAMES[now.exchange]
  const resume = async () => {
    try {
      await trigger({ params: { exchange: now.exchange }, query: {} })
      toast(words.resumed(name))
    } catch (failure) {
      reportFailure(failure)
    }
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.resumeTitle(name)}
      confirmLabel={words.resume(name)}
      isPending={isPending}
      onConfirm={() => void resume()}
      onCancel={onClose}
    >
      <Text fz="sm">{words.resumeText}</Text>
      {isUnderWay(now.stop) && (
        <Text fz="sm" fw={600}>
          {words.unfinished}
        </Text>
      )}
    </ConfirmDialog>
  )
}
