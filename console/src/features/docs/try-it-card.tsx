import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { type Endpoint, type ExchangeCode, getStats } from 'schema'
import { useLiveQuery } from '../../api/queries.tsx'
import { RequestSample, shellVariable } from '../../api/request-sample.tsx'
import { formId } from '../../api/use-unsent-form.tsx'
import { useCodeLanguage } from '../../components/code-block.tsx'
import { useFocusReturn } from '../../components/focus.ts'
import { Icon } from '../../components/icons.tsx'
import { Card } from '../../components/page.tsx'
import classes from './docs.module.css'
import { type FormField, type FormValues, requestOf } from './form-fields.ts'
import { ResponsePanel } from './response-panel.tsx'
import * as texts from './texts.ts'
import { TokenField, TryItField } from './try-it-fields.tsx'
import { TOKEN, useTryItForm } from './use-try-it-form.ts'

interface TryItCardProps {
  readonly endpoint: Endpoint
  /** The page has no other. */
  readonly isOnly: boolean
}

/** A form that makes the call, the curl command that does the same, and what came back. */
export function TryItCard({ endpoint, isOnly }: TryItCardProps) {
  const id = useId()
  const form = useTryItForm(endpoint)
  const isPending = form.tryIt.startedAtMs !== null
  const orderAt = endpoint.proxy?.requestClass === 'order' ? endpoint.proxy.exchange : undefined

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = form.submit()
    if (wrong !== undefined) document.getElementById(`${id}-${wrong}`)?.focus()
  }
  const sendByKey = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    // Otherwise a text area adds a line, a list opens, and a field sends a second time.
    event.preventDefault()
    event.stopPropagation()
    if (!isPending && !event.repeat) event.currentTarget.requestSubmit()
  }

  // Of several, each has its name among the regions of the page.
  const named = (what: string) => (isOnly ? what : `${what}: ${endpoint.summary}`)

  return (
    <Card title={named(texts.tryIt)} description={`${endpoint.method} ${endpoint.path}`}>
      <div className={classes.tryIt}>
        <form
          id={formId(endpoint)}
          onSubmit={submit}
          onKeyDownCapture={sendByKey}
          noValidate
          aria-label={`${texts.tryIt}: ${endpoint.summary}`}
        >
          <TokenField
            id={`${id}-${TOKEN}`}
            isFilledByResponse={!form.needsToken}
            error={form.needsToken && form.token === '' ? form.problems[TOKEN] : undefined}
          />
          <div className={classes.fields}>
            {form.fields.map((field) => (
              <TryItField
                key={field.name}
                id={`${id}-${field.name}`}
                field={field}
                value={form.values[field.name] ?? ''}
                error={form.problems[field.name]}
                hint={field.name === 'price' ? form.priceHint : undefined}
                onChange={(value) => form.change(field.name, value)}
              />
            ))}
          </div>
          {form.restored}
          {orderAt !== undefined && <EnvironmentNote exchange={orderAt} />}
          <SendButtons isPending={isPending} onCancel={form.tryIt.cancel} />
        </form>
        <Stack gap="md" miw={0}>
          <RequestCommand endpoint={endpoint} form={form} />
          <ResponsePanel
            label={named(texts.response)}
            tryIt={form.tryIt}
            isOrder={orderAt !== undefined}
          />
        </Stack>
      </div>
      {form.asking !== null && <RetryDialog {...form.asking} />}
    </Card>
  )
}

interface SendButtonsProps {
  readonly isPending: boolean
  readonly onCancel: () => void
}

function SendButtons({ isPending, onCancel }: SendButtonsProps) {
  return (
    <Group mt="md" gap="xs">
      <Button
        type="submit"
        disabled={isPending}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        leftSection={<Icon name="send" size={16} />}
      >
        {isPending ? texts.sending : texts.send}
      </Button>
      {isPending && (
        <Button variant="default" onClick={onCancel}>
          {texts.cancel}
        </Button>
      )}
    </Group>
  )
}

// A gateway that was restarted may stand before another exchange.
const READ_EVERY_MS = 30_000

/** Says at the send button whether an order moves real money. */
function EnvironmentNote({ exchange }: { readonly exchange: ExchangeCode }) {
  const { data } = useLiveQuery(getStats, READ_EVERY_MS)
  const lane = data?.exchanges?.find((each) => each.exchange === exchange)
  const environment = lane?.environment ?? 'unknown'
  return (
    <Group
      gap={8}
      mt="md"
      wrap="nowrap"
      fz="xs"
      className={classes.environment ?? ''}
      data-environment={environment}
    >
      <Icon name={environment === 'paper' ? 'flask' : 'alert'} size={16} />
      {texts.environment[environment]}
    </Group>
  )
}

type TryItForm = ReturnType<typeof useTryItForm>

/** Before another order goes out while nobody knows what became of the last one. */
function RetryDialog({ retry, newOrder, close }: NonNullable<TryItForm['asking']>) {
  useFocusReturn()
  const then = (act: () => unknown) => () => {
    act()
    close()
  }
  return (
    <Modal opened onClose={close} title={texts.retry.title} centered>
      <Stack>
        <Text fz="sm">{texts.retry.text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={then(newOrder)}>
            {texts.retry.newOrder}
          </Button>
          <Button onClick={then(retry)} data-autofocus>
            {texts.retry.same}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface RequestCommandProps {
  readonly endpoint: Endpoint
  readonly form: TryItForm
}

/**
 * What the form would send, as a command or program. Token and client secret are shell variables in
 * it until the person asks for them: commands end up in chats and shell histories.
 */
function RequestCommand({ endpoint, form }: RequestCommandProps) {
  const { fields, values, token, idempotencyKey } = form
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
