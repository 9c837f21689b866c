import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import {
  type ClientLimits,
  getClientLimits,
  getClientStop,
  listClients,
  previewClientStop,
  resumeClient,
  type Stop,
  StopRequest,
  stopClient,
} from 'schema'
import { useSWRConfig } from 'swr'
import { validateWith } from '../../api/form-errors.ts'
import { queryKey } from '../../api/query-key.ts'
import { QueryView } from '../../api/query-view.tsx'
import { ReduceFirst } from '../../api/reduce-first.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { StopPreviewLine } from '../../api/stop-preview.tsx'
import { StopProgress } from '../../api/stop-progress.tsx'
import { isInForce, isUnderWay } from '../../api/stop-state.ts'
import { useAction } from '../../api/use-action.ts'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { hasUnsent, useUnsentForm } from '../../api/use-unsent-form.tsx'
import { Card } from '../../components/card.tsx'
import { confirm } from '../../components/confirm.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as pageTexts from './client-page-texts.ts'
import { cancel } from './texts.ts'

const { stop: texts, resume: resumeTexts } = pageTexts
const EVERY_MS = 5000
/** While a stop cancels orders. */
const UNDER_WAY_MS = 1000

/** A client's last stop, and what begins and ends one. */
export function useClientStop(id: number) {
  const { mutate } = useSWRConfig()
  const [everyMs, setEveryMs] = useState(EVERY_MS)
  const input = { params: { id } }
  const query = useLiveQuery(getClientStop, everyMs, false, input)
  const stopping = useAction(stopClient, { readAgain: [listClients], alsoOffline: true })
  const resuming = useAction(resumeClient, { readAgain: [listClients] })

  // The response to a stop comes late: the reads show how far it is.
  const wantedMs = stopping.isPending || isUnderWay(query.data) ? UNDER_WAY_MS : EVERY_MS
  if (wantedMs !== everyMs) setEveryMs(wantedMs)

  const show = (stop: Partial<Stop> | null | undefined) => {
    const key = queryKey(getClientStop, input)
    // A response that says nothing of the stop is no reason to show nothing: the read says it.
    if (stop === undefined || (stop !== null && stop.startedAt === undefined)) void mutate(key)
    else void mutate(key, stop, { revalidate: false })
    void mutate(queryKey(getClientLimits, input))
  }
  const stop = async (body: StopRequest) => {
    try {
      show(await stopping.trigger({ ...input, body }))
      toast({ title: texts.done.title, message: texts.done.text })
    } catch (failure) {
      reportFailure(failure)
    }
  }
  const resume = () => {
    const { title, text, label, unfinished, done } = resumeTexts
    void confirm({
      ...{ title, label, isHarmless: true },
      text: (
        <>
          <Text fz="sm">{text}</Text>
          {isUnderWay(query.data) && (
            <Text fz="sm" fw={600}>
              {unfinished}
            </Text>
          )}
        </>
      ),
      act: async () => {
        show(await resuming.trigger(input))
        toast({ title: done.title, message: done.text })
      },
    })
  }
  return { query, isStopping: stopping.isPending, stop, resume }
}

type ClientStop = ReturnType<typeof useClientStop>

interface StopButtonProps {
  readonly id: number
  readonly limits: ClientLimits
  readonly clientStop: ClientStop
}

/** Stops a client, or ends its stop; beside its name. */
export function StopButton({ id, limits, clientStop }: StopButtonProps) {
  const { query, isStopping, stop, resume } = clientStop
  const inForce = isInForce(query.data)
  const [isAsking, setAsking] = useState(() => hasUnsent(stopForm(id)))
  // What the dialog asks for is done, by its own call or somebody else's.
  if (isAsking && inForce) setAsking(false)
  if (inForce)
    return (
      <RoleOnly endpoint={resumeClient}>
        <Button onClick={resume}>{resumeTexts.label}</Button>
      </RoleOnly>
    )
  return (
    <>
      <RoleOnly endpoint={stopClient}>
        <Button
          color="red"
          variant="outline"
          leftSection={<Icon name="ban" size={16} />}
          onClick={() => setAsking(true)}
        >
          {texts.label}
        </Button>
      </RoleOnly>
      {isAsking && (
        <StopDialog
          id={id}
          mayReduce={limits.state === 'active' && limits.mode === 'enforce'}
          isPending={isStopping}
          onStop={(body) => void stop(body)}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** How far a stop is, or what the last one was; nothing for a client that was never stopped. */
export function StopCard({ query, isStopping, stop }: ClientStop) {
  const { data, error } = query
  const inForce = isInForce(data)
  if (data == null && error === undefined) return null
  const cancelOrders = () => inForce && void stop({ reason: data.reason, cancelOrders: true })
  return (
    <Card title={texts.title}>
      <Stack gap="md">
        {error !== undefined && data === undefined && (
          <QueryView query={query} what={texts.what}>
            {() => null}
          </QueryView>
        )}
        {inForce && <StopProgress stop={data} />}
        {data != null && !inForce && <LastStop stop={data} />}
        {inForce && !isUnderWay(data) && (
          <Group>
            <RoleOnly endpoint={stopClient}>
              <Button variant="default" disabled={isStopping} onClick={cancelOrders}>
                {data.failed.length > 0 ? texts.retry : texts.cancel}
              </Button>
            </RoleOnly>
          </Group>
        )}
      </Stack>
    </Card>
  )
}

function LastStop({ stop: { reason, startedAt, resumedAt } }: { readonly stop: Stop }) {
  return (
    <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {texts.last(reason, formatDateTime(startedAt), formatDateTime(resumedAt ?? ''))}
    </Text>
  )
}

/** The name of the form of a client. */
const stopForm = (id: number) => `stop-client ${id}`

const problemsOf = validateWith(StopRequest)

interface StopDialogProps {
  readonly id: number
  /** Whether the state `reducing` would be stricter than what holds now. */
  readonly mayReduce: boolean
  readonly isPending: boolean
  readonly onStop: (body: StopRequest) => void
  readonly onCancel: () => void
}

/** Asks why a client is stopped, and what becomes of its working orders. */
function StopDialog({ id, mayReduce, isPending, onStop, onCancel }: StopDialogProps) {
  useFocusReturn()
  const { dialog } = texts
  const form = useForm({
    initialValues: { reason: '', cancelOrders: true },
    validate: (values) => problemsOf({ ...values, reason: values.reason.trim() }),
  })
  const restored = useUnsentForm(
    stopForm(id),
    () => (form.isDirty() ? form.values : null),
    form.setValues,
  )
  const submit = form.onSubmit(
    ({ reason, cancelOrders }) => onStop({ reason: reason.trim(), cancelOrders }),
    () => form.getInputNode('reason')?.focus(),
  )
  return (
    <Modal opened onClose={onCancel} title={dialog.title} centered>
      <form onSubmit={submit} noValidate data-also-offline>
        <Stack>
          {mayReduce && <ReduceFirst id={id} onDone={onCancel} />}
          <Text fz="sm">{dialog.text}</Text>
          <TextInput
            label={dialog.reason}
            description={dialog.reasonHint}
            maxLength={200}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('reason')}
          />
          <Checkbox
            label={dialog.cancelOrders}
            description={dialog.cancelHint}
            {...form.getInputProps('cancelOrders', { type: 'checkbox' })}
          />
          <StopPreviewLine
            endpoint={previewClientStop}
            input={{ params: { id } }}
            cancels={form.values.cancelOrders}
          />
          {restored}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onCancel}>
              {cancel}
            </Button>
            <Button type="submit" color="red.9" disabled={isPending}>
              {isPending ? dialog.sending : texts.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
