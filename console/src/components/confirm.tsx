import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { create } from 'zustand'
import { useFocusReturn } from './focus.ts'
import * as texts from './page-texts.ts'

/** One question before something that cannot be undone, or that reaches far. */
interface Question {
  readonly title: string
  readonly text: ReactNode
  /** Of the button that confirms. */
  readonly label: string
  /** The button's name when the label alone does not say of what; contains the label. */
  readonly name?: string
  /** It takes nothing away: its button is then not red. */
  readonly isHarmless?: boolean
  /** What a person must type before the button works: the name of what is ended. */
  readonly typed?: string
  /**
   * Carried out while the dialog is open and its button is off. When it fails, the failure is
   * reported and the dialog closes.
   */
  readonly act?: () => Promise<unknown>
  /** The first line of the report when `act` fails. */
  readonly failed?: string
}

interface Asked extends Question {
  /** The dialog of the next question begins anew, with its own guard. */
  readonly key: number
  readonly resolve: (isConfirmed: boolean) => void
}

const useAsked = create<{ readonly asked: Asked | null }>(() => ({ asked: null }))
let questions = 0
const show = (asked: Asked | null) => useAsked.setState({ asked })

/**
 * Asks in a dialog. Cancel has the focus; Escape, the overlay and the close button cancel, as does
 * leaving the page. Resolves to true once confirmed and, with `act`, carried out; to false when
 * cancelled or failed. A question that is asked right after another one takes its place.
 */
export function confirm(question: Question): Promise<boolean> {
  useAsked.getState().asked?.resolve(false)
  return new Promise((resolve) => show({ ...question, key: ++questions, resolve }))
}

/** Closes the dialog, unless the caller asks its next question at once. */
async function close(asked: Asked, isConfirmed: boolean): Promise<void> {
  asked.resolve(isConfirmed)
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(port1.close())
    port2.postMessage(null)
  })
  if (useAsked.getState().asked === asked) show(null)
}

interface ConfirmHostProps {
  /** Of the page that asks: on another page its question is cancelled. */
  readonly address: string
  readonly onFailure: (error: unknown, report: { readonly headline?: string }) => void
}

/** Where the questions appear: once, beside all pages. */
export function ConfirmHost({ address, onFailure }: ConfirmHostProps) {
  const asked = useAsked((state) => state.asked)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question belongs to its page.
  useEffect(
    () => () => {
      useAsked.getState().asked?.resolve(false)
      show(null)
    },
    [address],
  )
  return asked && <QuestionDialog key={asked.key} asked={asked} onFailure={onFailure} />
}

interface QuestionDialogProps extends Pick<ConfirmHostProps, 'onFailure'> {
  readonly asked: Asked
}

function QuestionDialog({ asked, onFailure }: QuestionDialogProps) {
  const { title, text, label, name, isHarmless = false, typed, act, failed } = asked
  const isGuarded = useGuard()
  const [isPending, setPending] = useState(false)
  const [entered, setEntered] = useState('')
  useFocusReturn()
  const isTyped = typed === undefined || entered.trim() === typed
  const cancel = () => void close(asked, false)
  const go = async () => {
    if (isGuarded || isPending || !isTyped) return
    setPending(true)
    try {
      await act?.()
      await close(asked, true)
    } catch (error) {
      onFailure(error, failed === undefined ? {} : { headline: failed })
      await close(asked, false)
    }
  }
  return (
    <Modal opened onClose={cancel} title={title} centered closeOnClickOutside={!isGuarded}>
      <form
        // What `act` sends says itself whether it is tried without a network.
        data-also-offline
        onSubmit={(event) => {
          event.preventDefault()
          void go()
        }}
      >
        <Stack>
          {typeof text === 'string' ? <Text fz="sm">{text}</Text> : text}
          {typed !== undefined && (
            <TextInput
              label={texts.typeName(typed)}
              value={entered}
              onChange={(event) => setEntered(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={cancel} data-autofocus>
              {texts.cancel}
            </Button>
            <Button
              type="submit"
              {...(isHarmless ? {} : { color: 'red.9' })}
              aria-label={name}
              disabled={isGuarded || isPending || !isTyped}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const GUARD_MS = 300

/** A double click on what opened a dialog must neither confirm it nor close it. */
export function useGuard(): boolean {
  const [isGuarded, setGuarded] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), GUARD_MS)
    return () => clearTimeout(timer)
  }, [])
  return isGuarded
}
