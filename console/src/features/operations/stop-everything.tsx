import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import {
  getStopOfEverything,
  previewStopOfEverything,
  resumeEverything,
  type StopRequest,
  stopEverything,
} from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { StopDialog } from './stop-dialog.tsx'
import { stopFormName } from './stop-form.tsx'
import * as texts from './texts.ts'
import { useResumeEverything, useStopEverything } from './use-operations-actions.ts'

/** How often a stop is read while its dialog is open. */
export const STOP_EVERY_MS = 1000
const words = texts.everything

/** Stops all exchanges, and resumes them once all are stopped. */
export function StopEverything({ isStopped }: { readonly isStopped: boolean }) {
  const [opened, setOpened] = useState<'stop' | 'resume' | null>(() =>
    hasUnsent(stopFormName(words.what)) ? 'stop' : null,
  )
  const close = () => setOpened(null)
  return (
    <>
      {isStopped && (
        <RoleOnly endpoint={resumeEverything}>
          <Button onClick={() => setOpened('resume')} leftSection={<Icon name="play" size={16} />}>
            {words.resume}
          </Button>
        </RoleOnly>
      )}
      <RoleOnly endpoint={stopEverything}>
        <Button
          color="red"
          variant="outline"
          leftSection={<Icon name="ban" size={16} />}
          onClick={() => setOpened('stop')}
        >
          {words.label}
        </Button>
      </RoleOnly>
      {opened === 'stop' && <StopAllDialog onClose={close} />}
      {opened === 'resume' && <ResumeAllDialog onClose={close} />}
    </>
  )
}

/** Stops all exchanges, and shows what the gateway did. */
export function StopAllDialog({ onClose }: { readonly onClose: () => void }) {
  const { trigger, isPending } = useStopEverything()
  const query = useLiveQuery(getStopOfEverything, STOP_EVERY_MS)
  const stop = async (body: StopRequest) => {
    try {
      await trigger({ body })
      await query.refresh()
    } catch (failure) {
      reportFailure(failure)
    }
  }
  return (
    <StopDialog
      title={words.title}
      description={words.description}
      what={words.what}
      label={words.label}
      preview={{ endpoint: previewStopOfEverything, input: {} }}
      stop={query.data}
      isPending={isPending}
      onStop={(body) => void stop(body)}
      onClose={onClose}
    />
  )
}

/** Asks before requests go to all exchanges again. */
export function ResumeAllDialog({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn()
  const { trigger, isPending } = useResumeEverything()
  const resume = async () => {
    try {
      await trigger({})
      toast(words.resumed)
    } catch (failure) {
      reportFailure(failure)
    }
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.resumeTitle}
      confirmLabel={words.resume}
      isPending={isPending}
      onConfirm={() => void resume()}
      onCancel={onClose}
    >
      <Text fz="sm">{words.resumeText}</Text>
    </ConfirmDialog>
  )
}
