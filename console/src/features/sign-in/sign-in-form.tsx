import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { LoginRequest, login, type ResponseOf, type SignInNeeded } from 'schema'
import { ApiError, UnexpectedResponseError } from '../../api/api-error.ts'
import { readResponse, send } from '../../api/client.ts'
import { reportFailure } from '../../api/failures.tsx'
import { validateWith } from '../../api/form-errors.ts'
import { signIn, toSession } from '../../api/session.ts'
import { SecretInput } from '../../components/secret-input.tsx'
import { toast, useToastRecord } from '../../components/toast.tsx'
import * as texts from './texts.ts'

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

/** Begins the session that a response of the gateway carries. @throws UnexpectedResponseError */
export function begin({ token, user }: ResponseOf<typeof login>): void {
  const session = toSession(token, user)
  if (session === null) throw new UnexpectedResponseError(login.path, null)
  signIn(session)
  toast({ title: texts.done, message: texts.welcome(user.email) })
}

/**
 * Signs in once at a time. `signInWith` returns whether it worked; a failure has been reported by
 * then, and `failure` keeps its words until the next attempt.
 * @param onSecondStep called when the password was right and the person has a second factor
 */
function useSignIn(onSecondStep: (waiting: SignInNeeded, email: string) => void) {
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const isInFlight = useRef(false)

  const signInWith = async (body: LoginRequest): Promise<boolean> => {
    if (isInFlight.current) return false
    isInFlight.current = true
    setPending(true)
    setFailure(null)
    try {
      begin(readResponse(login, await send(login, { body })))
      return true
    } catch (error) {
      const waiting = error instanceof ApiError ? error.problem.signIn : undefined
      if (waiting !== undefined) {
        onSecondStep(waiting, body.email)
        return true
      }
      reportFailure(error, { title: texts.failed, fallback: texts.failure })
      setFailure((error instanceof ApiError ? error.serverMessage : undefined) ?? texts.failure)
      return false
    } finally {
      isInFlight.current = false
      setPending(false)
    }
  }
  return { signInWith, isPending, failure }
}
