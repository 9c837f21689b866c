import { Button, Checkbox, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { StopRequest } from 'schema'
import { type PreviewOf, StopPreviewLine } from '../../api/stop-preview.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { HoldButton } from '../../components/hold-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import classes from './operations.module.css'
import * as texts from './texts.ts'

interface StopFormProps {
  /** What is stopped, in a question: `MEXC`. */
  readonly what: string
  readonly label: string
  readonly preview: PreviewOf
  /** Acts at once when held. Otherwise it is in a dialog, which is the question. */
  readonly isHeld?: boolean
  /** Whether the working orders are cancelled unless a person chooses otherwise. */
  readonly cancels: boolean
  readonly isPending: boolean
  readonly onStop: (body: StopRequest) => void
}

const words = texts.stop

/** The name of the form that stops something. */
export const stopFormName = (what: string, isHeld = false) =>
  `${isHeld ? 'hold-to-stop' : 'stop'} ${what}`

/** Why something is stopped, what becomes of its working orders, and the button that stops it. */
export function StopForm(props: StopFormProps) {
  const { what, label, preview, isHeld = false, isPending, onStop } = props
  const [reason, setReason] = useState('')
  const [cancelOrders, setCancelOrders] = useState(props.cancels)
  const [isAsking, setAsking] = useState(false)
  const restored = useUnsentForm(
    stopFormName(what, isHeld),
    () => (reason === '' ? null : { reason, cancelOrders }),
    (typed) => {
      setReason(typed.reason)
      setCancelOrders(typed.cancelOrders)
    },
  )

  const stop = () => {
    setAsking(false)
    onStop({ reason: reason.trim() || words.defaultReason, cancelOrders })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isHeld) setAsking(true)
    else stop()
  }
  const look = { leftSection: <Icon name="ban" size={16} />, disabled: isPending, size: 'sm' }
  return (
    <form className={classes.stopForm} onSubmit={submit} data-held={isHeld} data-also-offline>
      <TextInput
        label={isHeld ? undefined : words.reason}
        aria-label={words.reason}
        size="sm"
        // In a dialog the whole placeholder is seen: it says what is sent.
        flex={isHeld ? '1 1 140px' : '1 1 180px'}
        placeholder={isHeld ? words.reasonOptional : words.defaultReason}
        description={isHeld ? undefined : words.reasonHint}
        maxLength={200}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        data-autofocus
      />
      {isHeld ? (
        <HoldButton {...look} onHeld={stop} onPressed={() => setAsking(true)}>
          {isPending ? words.sending : label}
        </HoldButton>
      ) : (
        <Button {...look} type="submit" color="red.9">
          {isPending ? words.sending : label}
        </Button>
      )}
      <Checkbox
        size="xs"
        label={words.cancelOrders}
        checked={cancelOrders}
        onChange={(event) => setCancelOrders(event.currentTarget.checked)}
      />
      {!isHeld && <StopPreviewLine {...preview} cancels={cancelOrders} />}
      {restored}
      {isAsking && (
        <AskToStop
          what={what}
          label={label}
          preview={preview}
          cancelOrders={cancelOrders}
          onConfirm={stop}
          onCancel={() => setAsking(false)}
        />
      )}
    </form>
  )
}

interface AskToStopProps {
  readonly what: string
  readonly label: string
  readonly preview: PreviewOf
  readonly cancelOrders: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

function AskToStop(props: AskToStopProps) {
  const { what, label, preview, cancelOrders, onConfirm, onCancel } = props
  useFocusReturn()
  return (
    <ConfirmDialog
      title={words.confirmTitle(what)}
      confirmLabel={label}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <Text fz="sm">{words.consequence}</Text>
      {cancelOrders && <Text fz="sm">{words.cancelConsequence}</Text>}
      <StopPreviewLine {...preview} cancels={cancelOrders} />
    </ConfirmDialog>
  )
}
