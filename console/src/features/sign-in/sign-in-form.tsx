import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { LoginRequest, type SignInNeeded } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { SecretInput } from '../../components/secret-input.tsx'
import { useToastRecord } from '../../components/toast-record.ts'
import * as texts from './texts.ts'
import { useSignIn } from './use-sign-in.ts'

interface SignInFormProps {
  /** Filled in from the session before; empty when there was none. */
  readonly email: string
  /** Why the second step has ended; null when there was none. */
  readonly ended: string | null
  readonly onSecondStep: (waiting: SignInNeeded, email: string) => void
}

const problemsOf = validateWith(LoginRequest)

/**
 * E-mail and password. Without the form library of the other forms, which would be a third of this
 * screen's own code.
 */
export function SignInForm({ email, ended, onSecondStep }: SignInFormProps) {
  const { signInWith, isPending, failure: refused } = useSignIn(onSecondStep)
  const failure = refused ?? ended
  const hasToast = useToastRecord(({ entries }) => entries.some(({ isOpen }) => isOpen))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const emailField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const values = {
      email: emailField.current?.value ?? '',
      password: passwordField.current?.value ?? '',
    }
    const found = problemsOf(values)
    setProblems(found)
    if (found.email !== undefined) return emailField.current?.focus()
    const isDone = found.password === undefined && (await signInWith(values))
    if (!isDone) passwordField.current?.focus()
  }
  const clear = (name: string) => () => setProblems(({ [name]: _, ...others }) => others)

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {/* Once the toast is gone: a person who looked away still sees why. */}
        {failure !== null && !hasToast && (
          <Alert variant="light" color="red" title={texts.failed}>
            {failure}
          </Alert>
        )}
        <TextInput
          ref={emailField}
          label={texts.email}
          type="email"
          name="email"
          autoComplete="username"
          defaultValue={email}
          autoFocus={email === ''}
          error={problems.email}
          onChange={clear('email')}
        />
        <SecretInput
          ref={passwordField}
          label={texts.password}
          name="password"
          autoComplete="current-password"
          autoFocus={email !== ''}
          visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
          error={problems.password}
          onChange={clear('password')}
        />
        <Button type="submit" size="md" fullWidth disabled={isPending}>
          {isPending ? texts.submitting : texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
