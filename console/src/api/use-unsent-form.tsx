import { Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Endpoint } from 'schema'
import { forgetUnsent, registerForm, unsentIn, useSession } from './session.ts'
import * as texts from './texts.ts'

/**
 * Keeps what is typed in a form when the session ends by itself, and puts it back after the same
 * person has signed in again.
 * @param form its name and what it is about, for example `edit-client 7`
 * @param read what is typed, never secrets; null when nothing is
 * @returns a line that says so after what was typed is back, as long as it is not sent
 */
export function useUnsentForm<T>(
  form: string,
  read: () => T | null,
  restore: (values: T) => void,
): ReactNode {
  const [isRestored, setRestored] = useState(false)
  const latest = useRef({ read, restore })
  latest.current = { read, restore }

  useEffect(() => {
    const values = unsentIn(form, signedInEmail())
    if (values !== undefined) {
      // What `read` of the same form returned in an earlier page.
      latest.current.restore(values as T)
      setRestored(true)
      forgetUnsent(form)
    }
    return registerForm(form, () => latest.current.read())
  }, [form])

  const isSent = isRestored && read() === null
  if (isSent) setRestored(false)
  return (
    isRestored &&
    !isSent && (
      <Text fz="sm" c="dimmed" role="status">
        {texts.restored}
      </Text>
    )
  )
}

/** Whether the person who is signed in left something in a form that is not open yet. */
export const hasUnsent = (form: string) => unsentIn(form, signedInEmail()) !== undefined

const signedInEmail = () => useSession.getState().session?.user.email

/** The id of an endpoint's try-it form, to which the address of its page may point. */
export const formId = ({ id }: Endpoint) => `form-${id}`
