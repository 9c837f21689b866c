import { useMemo, useState } from 'react'
import type { Endpoint } from 'schema'
import { fieldsOf } from './form-fields.ts'
import { type FormValues, initialValues, problemsOf, requestOf } from './form-request.ts'
import { bareToken, setTabToken, useTabToken } from './tab-token.ts'
import { texts } from './texts.ts'
import { tokenIn } from './token-in.ts'
import { useTryIt } from './use-try-it.ts'

/** The name of the token's field among the problems. */
export const TOKEN = 'JWT'

/** The state of a try-it form: what is typed, what is wrong with it, the request it stands for. */
export function useTryItForm(endpoint: Endpoint) {
  const fields = useMemo(() => fieldsOf(endpoint), [endpoint])
  const [values, setValues] = useState<FormValues>(() => initialValues(fields))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const token = bareToken(useTabToken((state) => state.token))
  const tryIt = useTryIt(endpoint)
  const needsToken = endpoint.access !== 'public'
  const request = requestOf(endpoint, fields, values)

  /** Sends the form; comes back at once with the name of the first field to correct when there is one. */
  const submit = (): string | undefined => {
    const found = {
      ...(needsToken && token === '' ? { [TOKEN]: texts.tokenRequired } : {}),
      ...problemsOf(fields, values),
    }
    setProblems(found)
    const [first] = Object.keys(found)
    if (first === undefined) void sendForm()
    return first
  }
  const sendForm = async () => {
    const outcome = await tryIt.start(request, needsToken ? token : null)
    if (!needsToken && outcome?.kind === 'answer') setTabToken(tokenIn(outcome.answer) ?? '')
  }
  const change = (name: string, value: string) => {
    setValues((before) => ({ ...before, [name]: value }))
    setProblems(({ [name]: _, ...others }) => others)
  }
  return { fields, values, problems, token, needsToken, request, tryIt, submit, change }
}
