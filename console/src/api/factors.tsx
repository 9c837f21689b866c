import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import {
  type ConfirmRequest,
  confirm,
  confirmPasskey,
  type Factor,
  type PasskeyAssertion,
  type PasskeyRegistration,
} from 'schema'
import { useFocusReturn } from '../components/focus.ts'
import { lazyPart } from '../components/load-ahead.ts'
import { SecretInput } from '../components/secret-input.tsx'
import { sentenceOf } from './api-error.ts'
import { call, SESSION_ENDED } from './client.ts'
import * as texts from './factor-texts.ts'

interface FactorFormProps {
  /** What the person can show. */
  readonly factors: readonly Factor[]
  readonly label: string
  readonly pendingLabel: string
  /** What a passkey has to sign. */
  readonly passkeyOptions: () => Promise<object>
  /** Sends what is shown; what it throws is said above the fields. */
  readonly show: (shown: ConfirmRequest) => Promise<void>
  /** The way out, beside the button that sends. */
  readonly children: ReactNode
}

/** A dialog below this one must not close with it. */
export const OWN_ESCAPE = { 'data-mantine-stop-propagation': 'true' } as const

/** Asks for a factor: a passkey, a code, or the password. */
export function FactorForm(props: FactorFormProps) {
  const { factors, label, pendingLabel, passkeyOptions, show, children } = props
  const { pending, failure, send } = useSend(show)
  const [problem, setProblem] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const hasPasskey = factors.includes('passkey')
  const hasCode = factors.includes('totp') || factors.includes('recovery-code')
  const hasField = hasCode || factors.includes('password')

  const usePasskey = () =>
    void send('passkey', async () => ({ passkey: await signWithPasskey(await passkeyOptions()) }))
  const selectTyped = () => field.current?.select()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = typedIn(field.current?.value ?? '', factors)
    setProblem('problem' in typed ? typed.problem : null)
    if ('problem' in typed) field.current?.focus()
    else void send('typed', async () => typed, selectTyped)
  }
  const common = {
    ref: field,
    error: problem,
    onChange: () => setProblem(null),
    ...OWN_ESCAPE,
    autoFocus: !hasPasskey,
    'data-autofocus': hasPasskey ? undefined : true,
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FactorFailure>{failure}</FactorFailure>
        {hasPasskey && (
          <Button
            fullWidth
            disabled={pending !== null}
            onClick={usePasskey}
            autoFocus
            data-autofocus
            {...OWN_ESCAPE}
          >
            {pending === 'passkey' ? texts.passkeyPending : texts.usePasskey}
          </Button>
        )}
        {hasCode && (
          <TextInput
            {...common}
            {...codeWords(factors)}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
          />
        )}
        {!hasCode && hasField && (
          <SecretInput
            {...common}
            label={texts.password}
            name="password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': texts.showPassword, ...OWN_ESCAPE }}
          />
        )}
        <Group justify="flex-end" gap="sm">
          {children}
          {hasField && (
            <Button
              type="submit"
              variant={hasPasskey ? 'default' : 'filled'}
              disabled={pending !== null}
              {...OWN_ESCAPE}
            >
              {pending === 'typed' ? pendingLabel : label}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** Why what was shown confirms nothing; nothing as long as it is null. */
export function FactorFailure({ children }: { readonly children: string | null }) {
  if (children === null) return null
  return (
    <Alert color="red" title={texts.failed} role="alert">
      {children}
    </Alert>
  )
}

/** Sends one factor at a time, and says what was wrong with it. */
function useSend(show: FactorFormProps['show']) {
  const [pending, setPending] = useState<'passkey' | 'typed' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const send = async (
    how: 'passkey' | 'typed',
    shownBy: () => Promise<ConfirmRequest>,
    onFailure?: () => void,
  ) => {
    if (pending !== null) return
    setPending(how)
    setFailure(null)
    try {
      await show(await shownBy())
    } catch (error) {
      setFailure(sentenceOf(error))
      onFailure?.()
    }
    setPending(null)
  }
  return { pending, failure, send }
}

function codeWords(factors: readonly Factor[]) {
  if (!factors.includes('totp')) return { label: texts.recovery, description: texts.recoveryHint }
  const hasRecovery = factors.includes('recovery-code')
  return { label: texts.code, description: hasRecovery ? texts.codeHint : texts.totpHint }
}

/** What was typed, as the gateway takes it; apps show the digits in two groups. */
function typedIn(
  text: string,
  factors: readonly Factor[],
): ConfirmRequest | { readonly problem: string } {
  if (factors.includes('password'))
    return text === '' ? { problem: texts.passwordNeeded } : { password: text }
  const code = text.replace(/\s/g, '')
  if (code === '') return { problem: texts.codeNeeded }
  if (factors.includes('totp') && /^\d{6}$/.test(code)) return { totp: code }
  if (factors.includes('recovery-code')) return { recoveryCode: code }
  return { problem: texts.digitsNeeded }
}

const OpenIdFactor = lazyPart(() => import('./openid-factor.tsx'))

interface FreshFactorDialogProps {
  readonly factors: readonly Factor[]
  readonly answer: (isConfirmed: boolean) => void
}

/** Asks for a factor before the gateway does what needs one. */
export default function FreshFactorDialog({ factors, answer }: FreshFactorDialogProps) {
  useFocusReturn()
  const cancel = () => answer(false)
  const own = factors.filter((factor) => factor !== 'openid')
  const show = async (body: ConfirmRequest) => {
    const response = await call(confirm, { body })
    if (response !== SESSION_ENDED) answer(true)
  }
  const passkeyOptions = async () => {
    const options = await call(confirmPasskey, {})
    // The page is about to load anew.
    return options === SESSION_ENDED ? new Promise<never>(() => {}) : options
  }
  return (
    <Modal
      opened
      onClose={cancel}
      title={texts.freshTitle}
      centered
      closeOnClickOutside={false}
      // Above the dialog that it interrupts.
      zIndex={300}
      attributes={{ header: { role: 'presentation' }, content: OWN_ESCAPE, close: OWN_ESCAPE }}
      closeOnEscape={false}
      onKeyDown={(event) => {
        if (event.key === 'Escape') cancel()
      }}
    >
      <Stack>
        <Text fz="sm">{texts.freshText}</Text>
        {factors.includes('openid') && <OpenIdFactor isOnly={own.length === 0} show={show} />}
        <FactorForm
          factors={own}
          label={texts.confirm}
          pendingLabel={texts.confirming}
          passkeyOptions={passkeyOptions}
          show={show}
        >
          <Button variant="default" onClick={cancel} {...OWN_ESCAPE}>
            {texts.cancel}
          </Button>
        </FactorForm>
      </Stack>
    </Modal>
  )
}

/** The browser or the person ended it. The message says what to do. */
export class PasskeyError extends Error {
  constructor(cause: unknown) {
    super(passkeyProblem(cause), { cause })
    this.name = 'PasskeyError'
  }
}

const load = () => import('@simplewebauthn/browser')
type Library = Awaited<ReturnType<typeof load>>
// The gateway makes options with the server's half of the same library.
type AssertionOptions = Parameters<Library['startAuthentication']>[0]['optionsJSON']
type RegistrationOptions = Parameters<Library['startRegistration']>[0]['optionsJSON']

/** @throws PasskeyError */
async function byPasskey<T>(use: (library: Library) => Promise<T>): Promise<T> {
  const library = await load()
  return use(library).catch((error: unknown) => {
    throw new PasskeyError(error)
  })
}

/** What a passkey signs for options of the gateway. */
const signWithPasskey = (options: object): Promise<PasskeyAssertion> =>
  byPasskey((library) => library.startAuthentication({ optionsJSON: options as AssertionOptions }))

/**
 * A new passkey for options of the gateway.
 * @throws PasskeyError
 */
export const makePasskey = (options: object): Promise<PasskeyRegistration> =>
  byPasskey((library) => library.startRegistration({ optionsJSON: options as RegistrationOptions }))

function passkeyProblem(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return texts.passkeyEnded
  if (name === 'InvalidStateError') return texts.passkeyKnown
  if (name === 'SecurityError') return texts.passkeyPlace
  return window.isSecureContext ? texts.passkeyMissing : texts.passkeyPlace
}
