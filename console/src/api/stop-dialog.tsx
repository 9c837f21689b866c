import {
  Button,
  Checkbox,
  Group,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import { EXCHANGE_NAMES } from 'schema'
import { useGuard } from '../components/confirm.tsx'
import { useFocusReturn } from '../components/focus.ts'
import { HoldButton } from '../components/hold-button.tsx'
import { Icon } from '../components/icons.tsx'
import { toast } from '../components/toast.tsx'
import { reportFailure } from './failures.tsx'
import { EndingNote, StopProgress } from './stop-progress.tsx'
import { isInForce, type StopTarget, useStopping } from './stop-state.ts'
import { endings, dialog as words } from './stop-texts.ts'
import { hasUnsent, useUnsentForm } from './use-unsent-form.tsx'

type Way = 'reducing' | 'halted' | 'stopped'

/** What would be stopped, and what its dialog begins with. */
export interface StopWish {
  readonly of: StopTarget
  /** What is chosen at first; only a client has another way than a stop. */
  readonly way?: Way
  /** Whether the open orders are cancelled unless a person chooses otherwise. */
  readonly cancels?: boolean
}

interface StopDialogProps extends StopWish {
  readonly onClose: () => void
}

/**
 * Stops a client, an exchange or everything, and shows how far that is. For a client it offers what
 * is milder first: `reducing`, then a halt. A stop is confirmed by a held press, or by its name.
 *
 *     {isStopping && <StopDialog of={{ client }} onClose={() => setStopping(false)} />}
 */
export function StopDialog(props: StopDialogProps) {
  const { of, onClose } = props
  const stopping = useStopping(of)
  useFocusReturn()
  const title = of === 'everything' ? words.everythingTitle : words.title(whatOf(of))
  return (
    <Modal opened onClose={onClose} title={title} size="lg" centered>
      {isInForce(stopping.stop) ? (
        <Stack gap="sm">
          <StopProgress stop={stopping.stop} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {words.close}
            </Button>
          </Group>
        </Stack>
      ) : (
        <StopForm {...props} stopping={stopping} />
      )}
    </Modal>
  )
}

/** Whether a stop of it was being written when the session ended: its dialog opens again. */
export const isStopUnsent = (of: StopTarget) => hasUnsent(formOf(of))

const formOf = (of: StopTarget) => `stop ${whatOf(of)}`

function whatOf(of: StopTarget): string {
  if (of === 'everything') return words.everything
  return 'exchange' in of ? EXCHANGE_NAMES[of.exchange] : of.client.clientId
}

const clientOf = (of: StopTarget) => (of !== 'everything' && 'client' in of ? of.client : undefined)

/** The ways that are stricter than what holds now, the mildest first. */
function waysOf(of: StopTarget): readonly Way[] {
  const client = clientOf(of)
  if (client === undefined || client.state === 'halted') return ['stopped']
  const { state } = client
  return state === 'reducing' ? ['halted', 'stopped'] : ['reducing', 'halted', 'stopped']
}

interface StopFormProps extends StopDialogProps {
  readonly stopping: ReturnType<typeof useStopping>
}

interface Entered {
  readonly reason: string
  readonly cancelOrders: boolean
  /** The name, to confirm; undefined until somebody presses without holding. */
  readonly typed?: string
}

function StopForm(props: StopFormProps) {
  const { of, way: first = 'stopped', cancels = true, onClose, stopping } = props
  const [way, setWay] = useState<Way>(first)
  const [entered, setEntered] = useState<Entered>({ reason: '', cancelOrders: cancels })
  const isGuarded = useGuard()
  const change = (changes: Partial<Entered>) => setEntered((now) => ({ ...now, ...changes }))
  const { reason, cancelOrders, typed } = entered
  const client = clientOf(of)
  const isWithoutForce = way !== 'stopped' && client?.wouldHaveRefused != null
  const restored = useUnsentForm(
    formOf(of),
    () => (reason === '' ? null : { reason, cancelOrders }),
    setEntered,
  )

  const stop = () => stopping.begin({ reason: reason.trim() || words.defaultReason, cancelOrders })
  const restrict = async () => {
    if (way === 'stopped' || client === undefined || isWithoutForce) return
    const isInEffect = await stopping.restrict(client.id, way)
    if (isInEffect) toast(words[way](client.clientId))
    else toast({ ...words.notInForce(client.clientId), tone: 'failure' })
    onClose()
  }
  const act = (what: () => Promise<unknown>) => {
    if (!isGuarded && !stopping.isPending) what().catch(reportFailure)
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (way !== 'stopped') act(restrict)
    else if (typed?.trim() === whatOf(of)) act(stop)
    else change({ typed: typed ?? '' })
  }
  const isOff = isGuarded || stopping.isPending || isWithoutForce
  return (
    <form onSubmit={submit} noValidate data-also-offline>
      <Stack gap="sm">
        <WayChoice of={of} way={way} isWithoutForce={isWithoutForce} onChange={setWay} />
        <EndingNote
          of={of}
          way={client === undefined ? 'exchange stopped' : way}
          cancels={cancelOrders}
        />
        {way === 'stopped' && <StopFields of={of} entered={entered} onChange={change} />}
        {restored}
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={onClose}
            data-autofocus={way !== 'stopped' || undefined}
          >
            {words.cancel}
          </Button>
          {way === 'stopped' ? (
            <HoldButton
              leftSection={<Icon name="ban" size={16} />}
              disabled={isOff}
              onHeld={() => act(stop)}
            >
              {stopping.isPending ? words.sending : labelOf(of)}
            </HoldButton>
          ) : (
            <Button type="submit" color="red.9" disabled={isOff}>
              {words.submit[way]}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface WayChoiceProps extends Pick<StopDialogProps, 'of'> {
  readonly way: Way
  readonly isWithoutForce: boolean
  readonly onChange: (way: Way) => void
}

function WayChoice({ of, way, isWithoutForce, onChange }: WayChoiceProps) {
  const ways = waysOf(of)
  if (ways.length === 1) return null
  return (
    <div>
      <SegmentedControl
        fullWidth
        aria-label={words.way}
        data={ways.map((value) => ({ value, label: endings.ways[value] }))}
        value={way}
        onChange={(value) => onChange(ways.find((each) => each === value) ?? way)}
      />
      <Text fz="sm" c="dimmed" mt={6}>
        {isWithoutForce ? words.inShadow : words.hints[way]}
      </Text>
    </div>
  )
}

interface StopFieldsProps extends Pick<StopDialogProps, 'of'> {
  readonly entered: Entered
  readonly onChange: (changes: Partial<Entered>) => void
}

function StopFields({ of, entered, onChange }: StopFieldsProps) {
  const { reason, cancelOrders, typed } = entered
  return (
    <>
      <TextInput
        label={words.reason}
        description={words.reasonHint}
        placeholder={words.defaultReason}
        maxLength={200}
        autoComplete="off"
        value={reason}
        onChange={({ currentTarget }) => onChange({ reason: currentTarget.value })}
        data-autofocus
      />
      <Checkbox
        label={words.cancelOrders}
        checked={cancelOrders}
        onChange={({ currentTarget }) => onChange({ cancelOrders: currentTarget.checked })}
      />
      {typed !== undefined && (
        <TextInput
          label={words.typed(whatOf(of))}
          value={typed}
          onChange={({ currentTarget }) => onChange({ typed: currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
      )}
    </>
  )
}

const labelOf = (of: StopTarget) =>
  clientOf(of) === undefined ? words.title(whatOf(of)) : words.clientLabel
