import { Button, Group } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useId } from 'react'
import type { Endpoint } from 'schema'
import { formId } from '../../api/form-id.ts'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import classes from './docs.module.css'
import { EnvironmentNote } from './environment-note.tsx'
import { RequestCommand } from './request-command.tsx'
import { ResponsePanel } from './response-panel.tsx'
import { RetryDialog } from './retry-dialog.tsx'
import * as texts from './texts.ts'
import { TokenField } from './token-field.tsx'
import { TryItField } from './try-it-field.tsx'
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
                onChange={(value) => form.change(field.name, value)}
              />
            ))}
          </div>
          {form.restored}
          {orderAt !== undefined && <EnvironmentNote exchange={orderAt} />}
          <SendButtons isPending={isPending} onCancel={form.tryIt.cancel} />
        </form>
        <div className={classes.results}>
          <RequestCommand
            endpoint={endpoint}
            fields={form.fields}
            values={form.values}
            token={form.token}
            idempotencyKey={form.idempotencyKey}
          />
          <ResponsePanel
            label={named(texts.response)}
            tryIt={form.tryIt}
            isOrder={orderAt !== undefined}
          />
        </div>
      </div>
      {form.asking !== null && (
        <RetryDialog
          onRetry={form.asking.retry}
          onNewOrder={form.asking.newOrder}
          onClose={form.asking.close}
        />
      )}
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
