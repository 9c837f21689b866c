import { useRef, useState } from 'react'
import { type LoginRequest, login, type ResponseOf, type SignInNeeded } from 'schema'
import { ApiError, UnexpectedResponseError } from '../../api/api-error.ts'
import { readResponse, send } from '../../api/client.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { signIn } from '../../api/session.ts'
import { toSession } from '../../api/session-storage.ts'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'

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
export function useSignIn(onSecondStep: (waiting: SignInNeeded, email: string) => void) {
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
