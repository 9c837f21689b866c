import {
  Button,
  Checkbox,
  Group,
  Modal,
  type ModalProps,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import { CopyField } from './copy.tsx'
import { useFocusReturn } from './focus.ts'
import * as texts from './page-texts.ts'

/** The one text field that most of these forms have, as data. */
interface FormField
  extends Pick<TextInputProps, 'label' | 'description' | 'type' | 'inputMode' | 'maxLength'> {
  readonly name?: string
  readonly autoComplete?: string
  /** What is in it at first. */
  readonly initial?: string
  /** What is wrong with a text; undefined when nothing is. */
  readonly check?: (text: string) => string | undefined
}

interface FormDialogProps extends Pick<ModalProps, 'size' | 'closeOnClickOutside'> {
  readonly title: string
  /** Of the button that sends the form; while it is sent, `pendingLabel`. */
  readonly label: string
  readonly pendingLabel?: string
  /** Whether there is nothing to send. */
  readonly isUnchanged?: boolean
  readonly field?: FormField | undefined
  /**
   * Sends the form, with what is in its field, and reports its own failures. `refuse` says at the
   * field what is wrong with it.
   */
  readonly onSubmit: (text: string, refuse: (problem: string) => void) => Promise<unknown>
  readonly onClose: () => void
  /** Above the field. */
  readonly before?: ReactNode
  /** Below it. Fields in here have their own checks. */
  readonly children?: ReactNode
}

/** A form of few fields in a dialog. */
export function FormDialog(props: FormDialogProps) {
  const { title, label, pendingLabel = texts.saving, isUnchanged = false, field } = props
  const { size = 'md', closeOnClickOutside = true, onSubmit, onClose, before, children } = props
  const { initial = '', check, ...input } = field ?? {}
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  useFocusReturn()
  const submit = async () => {
    const found = check?.(text)
    setProblem(found)
    if (found !== undefined) return
    setPending(true)
    await onSubmit(text, setProblem)
    setPending(false)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      size={size}
      closeOnClickOutside={closeOnClickOutside}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
        noValidate
      >
        <Stack>
          {before}
          {field !== undefined && (
            <TextInput
              autoComplete="off"
              {...input}
              data-autofocus
              value={text}
              error={problem}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {children}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" disabled={isPending || isUnchanged}>
              {isPending ? pendingLabel : label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface OnceDialogProps extends Pick<ModalProps, 'size'> {
  readonly title: string
  readonly text: string
  /** "I have stored them": without it the dialog does not close. */
  readonly storedLabel: string
  /** Where a person goes from here, beside *Done*. */
  readonly next?: readonly (readonly [label: string, address: string])[]
  /** Gets what notes that it was taken along. */
  readonly children: (take: () => void) => ReactNode
  readonly onDone: () => void
}

/** Shows what is readable this one time. Only its own buttons close it. */
export function OnceDialog(props: OnceDialogProps) {
  const { title, text, storedLabel, next = [], children, size = 'md', onDone } = props
  const [isStored, setStored] = useState(false)
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  useFocusReturn()
  const { leaveFor } = useStayOnPage()
  return (
    <Modal
      opened
      onClose={onDone}
      title={title}
      size={size}
      centered={isWide}
      // A toast is above it on a narrow screen, and must not cover what is shown once.
      yOffset={isWide ? undefined : 116}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack>
        <Text fz="sm">{text}</Text>
        {children(() => setStored(true))}
        <Group justify="space-between">
          <Checkbox
            label={storedLabel}
            checked={isStored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Group gap="sm">
            {next.map(([label, address]) => (
              <Button
                key={address}
                variant="default"
                disabled={!isStored}
                onClick={() => {
                  leaveFor(address)
                  onDone()
                }}
              >
                {label}
              </Button>
            ))}
            <Button onClick={onDone} disabled={!isStored}>
              {texts.done}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  )
}

/** The one time that a generated password is readable. */
export function showPassword(email: string, password: string): void {
  showDialog((close) => (
    <OnceDialog
      title={texts.passwordTitle(email)}
      text={texts.passwordText}
      storedLabel={texts.passwordStored}
      onDone={close}
    >
      {() => <CopyField label={texts.password} value={password} />}
    </OnceDialog>
  ))
}

/**
 * Holds the person on the page while mounted: Back stays where it is, and closing or reloading the
 * tab asks first. It adds one history entry and takes it away again when unmounted, or gives it to
 * the page that was named to `leaveFor` before.
 */
function useStayOnPage(): { readonly leaveFor: (address: string) => void } {
  const next = useRef<string>(null)
  useEffect(() => {
    const here = window.location.href
    const stay = () => window.history.pushState(window.history.state, '', here)
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    stay()
    window.addEventListener('popstate', stay)
    window.addEventListener('beforeunload', ask)
    return () => {
      window.removeEventListener('popstate', stay)
      window.removeEventListener('beforeunload', ask)
      if (next.current === null) window.history.back()
      else navigate(next.current, { replace: true })
    }
  }, [])
  return {
    leaveFor: (address) => {
      next.current = address
    },
  }
}

interface Shown {
  /** The dialog of the next one begins anew. */
  readonly key: number
  readonly dialog: ReactNode
}

const useShown = create<{ readonly shown: Shown | null }>(() => ({ shown: null }))
let dialogs = 0

/**
 * Opens a dialog over the page, in place of the one that is open, until it is closed or the page is
 * left. Nothing of the page is drawn again.
 * @param make gets what closes this dialog, and never the one that took its place; it returns
 * whether the dialog was still open
 */
export function showDialog(make: (close: () => boolean) => ReactNode): void {
  const key = ++dialogs
  const close = () => {
    const isOpen = useShown.getState().shown?.key === key
    if (isOpen) useShown.setState({ shown: null })
    return isOpen
  }
  useShown.setState({ shown: { key, dialog: make(close) } })
}

/** Where the dialogs appear: once, beside all pages. */
export function DialogHost({ address }: { readonly address: string }) {
  const shown = useShown((state) => state.shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog belongs to its page.
  useEffect(() => () => useShown.setState({ shown: null }), [address])
  return shown && <Fragment key={shown.key}>{shown.dialog}</Fragment>
}
