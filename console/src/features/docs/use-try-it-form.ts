import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { Endpoint } from 'schema'
import { formId } from '../../api/form-id.ts'
import { storedToken } from '../../api/session.ts'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { type FormField, fieldsOf } from './form-fields.ts'
import {
  type FormValues,
  initialValues,
  problemsOf,
  requestOf,
  withoutSecrets,
} from './form-request.ts'
import { recallRequest, rememberRequest, useTabHistory } from './tab-history.ts'
import { bareToken, setTabToken, useTabToken } from './tab-token.ts'
import * as texts from './texts.ts'
import { tokenIn } from './token-in.ts'
import { type OrderAttempt, useOrderKey } from './use-order-key.ts'
import { useTryIt } from './use-try-it.ts'

/** The name of the token's field among the problems. */
export const TOKEN = 'JWT'

/** The state of a try-it form: what is typed, what is wrong with it, the request it describes. */
export function useTryItForm(endpoint: Endpoint) {
  const fields = useMemo(() => fieldsOf(endpoint), [endpoint])
  const [values, setValues] = useState<FormValues>(() => initialValues(fields))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const token = bareToken(useTabToken((state) => state.token))
  const tryIt = useTryIt(endpoint)
  const needsToken = needsTokenFor(endpoint)
  const request = requestOf(endpoint, fields, values)
  const typed = { request, values: withoutSecrets(fields, values) }

  const trades = placesOrders(endpoint)
  const order = useOrderKey(endpoint.id, request)
  const send = (attempt: Omit<OrderAttempt, 'isUnknown'>) =>
    void sendForm(attempt, { endpoint, tryIt, order, token })
  const [isAsking, setAsking] = useState(false)
  const restored = useUnsentForm<FormValues>(
    formId(endpoint),
    () => typedIn(fields, values),
    (typed) => setValues((before) => ({ ...before, ...typed })),
  )

  useRecalled(endpoint, (recalled) => {
    setValues((before) => ({ ...before, ...recalled }))
    setProblems({})
  })

  /**
   * Sends the form; comes back at once with the name of the first field to correct when there is
   * one.
   */
  const submit = (): string | undefined => {
    const found = {
      ...(needsToken && token === '' ? { [TOKEN]: texts.tokenRequired } : {}),
      ...problemsOf(fields, values),
    }
    setProblems(found)
    const [first] = Object.keys(found)
    if (first !== undefined) return first
    // An order may stand: whether this is the same or another one is for the person to say.
    if (trades && order.failed?.isUnknown === true) setAsking(true)
    else send({ ...typed, key: order.key })
    return undefined
  }
  const change = (name: string, value: string) => {
    setValues((before) => ({ ...before, [name]: value }))
    setProblems(({ [name]: _, ...others }) => others)
  }
  return {
    fields,
    values,
    problems,
    token,
    needsToken,
    idempotencyKey: trades ? order.key : undefined,
    tryIt,
    submit,
    change,
    restored,
    /** Set while it has to be said whether an order is the last one again or another one. */
    asking: isAsking
      ? {
          retry: () => order.failed !== undefined && send(order.failed),
          newOrder: () => send({ ...typed, key: order.freshKey }),
          close: () => setAsking(false),
        }
      : null,
  }
}

/** Takes a request that was chosen from the history. */
function useRecalled(endpoint: Endpoint, onRecalled: (values: FormValues) => void): void {
  const recalled = useTabHistory((state) => state.recalled)
  const take = useEffectEvent(onRecalled)
  useEffect(() => {
    if (recalled?.endpointId !== endpoint.id) return
    take(recalled.values)
    recallRequest(null)
    document.getElementById(formId(endpoint))?.scrollIntoView()
  }, [recalled, endpoint])
}

const needsTokenFor = ({ access }: Endpoint) => access !== 'public'

const placesOrders = ({ proxy, method }: Endpoint) =>
  proxy?.permission === 'trade' && method === 'POST'

interface Sending {
  readonly endpoint: Endpoint
  readonly tryIt: ReturnType<typeof useTryIt>
  readonly order: ReturnType<typeof useOrderKey>
  readonly token: string
}

/** Sends a form, and notes what comes of it. */
async function sendForm(
  { request, key, values }: Omit<OrderAttempt, 'isUnknown'>,
  { endpoint, tryIt, order, token }: Sending,
): Promise<void> {
  const needsToken = needsTokenFor(endpoint)
  const trades = placesOrders(endpoint)
  const atMs = Date.now()
  const page = window.location.pathname
  const startedBy = storedToken()
  const settle = trades ? order.begin({ request, key, values }) : undefined
  const outcome = await tryIt.start(request, {
    token: needsToken ? token : null,
    idempotencyKey: trades ? key : undefined,
  })
  if (outcome === null) return
  settle?.(outcome)
  // The next person sees nothing of this one's.
  if (storedToken() !== startedBy) return
  rememberRequest({
    endpointId: endpoint.id,
    page,
    atMs,
    values,
    status: outcome.kind === 'response' ? outcome.response.status : null,
  })
  if (!needsToken && outcome.kind === 'response') setTabToken(tokenIn(outcome.response) ?? '')
}

/** What may be kept of what was typed; null when that is nothing. */
function typedIn(fields: readonly FormField[], values: FormValues): FormValues | null {
  const kept = withoutSecrets(fields, values)
  return fields.some(({ name, initial }) => name in kept && kept[name] !== initial) ? kept : null
}
