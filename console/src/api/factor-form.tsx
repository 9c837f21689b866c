import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { ConfirmRequest, Factor } from 'schema'
import { SecretInput } from '../components/secret-input.tsx'
import { wordsOf } from './api-error.ts'
import * as texts from './factor-texts.ts'
import { signWithPasskey } from './passkey.ts'

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
        {failure !== null && (
          <Alert variant="light" color="red" title={texts.failed} role="alert">
            {failure}
          </Alert>
        )}
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
      setFailure(wordsOf(error).line.replace(/^\d{3}: /, ''))
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
