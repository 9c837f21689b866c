import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import type { Endpoint } from 'schema'
import { RequestSample } from '../../api/request-sample.tsx'
import { useCodeLanguage } from '../../components/code-language.ts'
import { shellVariable } from '../../components/shell-quote.ts'
import type { FormField } from './form-fields.ts'
import { type FormValues, requestOf } from './form-request.ts'
import * as texts from './texts.ts'

interface RequestCommandProps {
  readonly endpoint: Endpoint
  readonly fields: readonly FormField[]
  readonly values: FormValues
  /** '' when none is typed. */
  readonly token: string
  /** Of a call that trades. */
  readonly idempotencyKey: string | undefined
}

/**
 * What the form would send, as a command or program. Token and client secret are shell variables in
 * it until the person asks for them: commands end up in chats and shell histories.
 */
export function RequestCommand({
  endpoint,
  fields,
  values,
  token,
  idempotencyKey,
}: RequestCommandProps) {
  const [isComplete, setComplete] = useState(false)
  const { language } = useCodeLanguage()
  const needsToken = endpoint.access !== 'public'
  const shown = isComplete ? values : withVariables(fields, values)
  const bearer = isComplete && token !== '' ? token : shellVariable('TOKEN')
  return (
    <div>
      <RequestSample
        title={texts.request[language]}
        endpoint={endpoint}
        input={requestOf(endpoint, fields, shown)}
        token={needsToken ? bearer : undefined}
        idempotencyKey={idempotencyKey}
      />
      <Checkbox
        mt={6}
        size="xs"
        label={needsToken ? texts.withToken : texts.withSecret}
        checked={isComplete}
        onChange={(event) => setComplete(event.currentTarget.checked)}
      />
    </div>
  )
}

function withVariables(fields: readonly FormField[], values: FormValues): FormValues {
  const secrets = fields.filter(({ kind, name }) => kind === 'secret' && values[name] !== '')
  const variables = secrets.map(({ name }) => [name, shellVariable(constantCase(name))])
  return { ...values, ...Object.fromEntries(variables) }
}

/** `clientSecret` → `CLIENT_SECRET`. */
function constantCase(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase()
}
