import { Anchor, Button, Group, Stack, VisuallyHidden } from '@mantine/core'
import { type FormEvent, useEffect, useEffectEvent, useId, useMemo, useState } from 'react'
import { STREAM_CLOSE_CODES, streamEvents, streamSocket } from 'schema'
import { RequestSample, shellVariable } from '../../api/request-sample.tsx'
import { formId, useUnsentForm } from '../../api/use-unsent-form.tsx'
import { Icon } from '../../components/icons.tsx'
import { Card, PageHeader } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import classes from './docs.module.css'
import { EndpointCard } from './endpoint-card.tsx'
import { type FormValues, fieldsOf, initialValues, requestOf } from './form-fields.ts'
import { StreamList } from './stream-list.tsx'
import { bareToken, useTabMemory } from './tab-memory.ts'
import * as allTexts from './texts.ts'
import { TokenField, TryItField } from './try-it-fields.tsx'
import { useStream } from './use-stream.ts'

const texts = allTexts.stream
const GUIDE = '/docs/guide/event-streams'

/** Sluice's own streams: events as they come, and what the catalogue says of both. */
export default function StreamsPage() {
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={<Anchor href={GUIDE}>{texts.guide}</Anchor>}
      />
      <Stack gap="md" data-wide className={classes.page ?? ''}>
        <StreamCard />
        <EndpointCard endpoint={streamEvents} />
        <EndpointCard endpoint={streamSocket} isBrief />
        <EndsCard />
      </Stack>
    </>
  )
}

/** A form that opens a stream, what comes of it, and programs that do the same. */
function StreamCard() {
  const id = useId()
  const stream = useStream()
  const { state } = stream.connection
  const isOpen = state !== 'idle' && state !== 'ended'
  const form = useStreamForm(isOpen ? '' : stream.lastId)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (form.check()) stream.connect(form.query, form.token)
    else document.getElementById(`${id}-token`)?.focus()
  }
  return (
    <Card title={texts.tryIt} description={texts.tryItDescription}>
      <div className={classes.stream}>
        <form id={formId(streamEvents)} onSubmit={submit} noValidate aria-label={texts.form}>
          <TokenField id={`${id}-token`} isFilledByResponse={false} error={form.tokenProblem} />
          <div className={classes.fields}>
            {form.fields.map((field) => (
              <TryItField
                key={field.name}
                id={`${id}-${field.name}`}
                field={field}
                value={form.values[field.name] ?? ''}
                error={undefined}
                onChange={(value) => form.set({ [field.name]: value })}
              />
            ))}
          </div>
          {form.restored}
          <Group mt="md" mb="lg" gap="xs">
            {isOpen ? (
              // With one element for both, the press that ends a stream would submit the form.
              <Button key="end" variant="default" onClick={stream.disconnect}>
                {texts.disconnect}
              </Button>
            ) : (
              <Button key="begin" type="submit" leftSection={<Icon name="plug" size={16} />}>
                {form.query.after === undefined ? texts.connect : texts.resume}
              </Button>
            )}
          </Group>
          <RequestSample
            title={texts.samples}
            endpoint={streamEvents}
            input={{ query: form.query }}
            token={shellVariable('TOKEN')}
          />
        </form>
        <StreamList stream={stream} />
      </div>
      <Announcement stream={stream} />
    </Card>
  )
}

/** The filters that are typed. The next stream begins after `lastId`. */
function useStreamForm(lastId: string) {
  const fields = useMemo(() => fieldsOf(streamEvents), [])
  const initial = useMemo(() => initialValues(fields), [fields])
  const [values, setValues] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const token = bareToken(useTabMemory((memory) => memory.token))
  const set = (typed: FormValues) => setValues((before) => ({ ...before, ...typed }))
  useEffect(() => {
    if (lastId !== '') setValues((before) => ({ ...before, after: lastId }))
  }, [lastId])
  const restored = useUnsentForm<FormValues>(
    formId(streamEvents),
    () => (fields.some(({ name, initial }) => values[name] !== initial) ? values : null),
    set,
  )
  const query = requestOf(streamEvents, fields, values).query ?? {}
  return {
    ...{ fields, values, set, restored, token, query },
    tokenProblem: isChecked && token === '' ? allTexts.tokenRequired : undefined,
    /** @returns whether it can be sent */
    check(): boolean {
      setChecked(true)
      return token !== ''
    },
  }
}

/** How often events are read out, at most. */
const ANNOUNCED_EVERY_MS = 10_000

/** What came since the last time, in a sentence: nobody can listen to every event. */
function Announcement({ stream: { rows, count } }: { stream: ReturnType<typeof useStream> }) {
  const [said, setSaid] = useState({ count: 0, text: '' })
  const last = rows[0]
  const say = useEffectEvent(() => {
    if (count === said.count) return
    const text = last === undefined ? '' : texts.announced(`${count - said.count}`, nameOf(last))
    setSaid({ count, text: count < said.count ? '' : text })
  })
  useEffect(() => {
    const timer = setInterval(() => say(), ANNOUNCED_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return <VisuallyHidden role="status">{said.text}</VisuallyHidden>
}

const nameOf = ({ type, summary }: { readonly type: string; readonly summary: string }) =>
  `${type} ${summary}`

type Ending = readonly [code: string, meaning: string]

/** The codes that streams end with. */
function EndsCard() {
  const { title, description, columns } = texts.codes
  return (
    <Card title={title} description={description}>
      <RowsTable
        label={title}
        rows={Object.entries(STREAM_CLOSE_CODES)}
        keyOf={([code]) => code}
        columns={columnsFrom<Ending>(columns, {
          code: { isRowHeader: true, width: '80px', cell: ([code]) => code },
          meaning: { card: 'line', cell: ([, meaning]) => meaning },
        })}
        isNested
      />
    </Card>
  )
}
