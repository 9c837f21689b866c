import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type LimitsWithUsage, NO_LIMITS, replaceClientLimits } from 'schema'
import { ApiError, WaitsForApprovalError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { ActionButton, RoleOnly } from '../../api/role.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { Icon } from '../../components/icons.tsx'
import { Card, Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { CardLink } from './client-cards.tsx'
import * as texts from './client-page-texts.ts'
import { useChangeLimits } from './client-state.tsx'
import { LimitFields, limitLabel } from './limit-field.tsx'
import {
  changedFields,
  LIMIT_FIELDS,
  type LimitField,
  limitsSet,
  problemsOf,
  toChanges,
  toValues,
} from './limit-values.ts'

interface LimitsCardProps {
  readonly id: number
  readonly limits: LimitsWithUsage
  /** Where the log has what the limits refused. */
  readonly logsAddress: string
  readonly onShadow: () => void
}

const { limits: words } = texts
/** The fields of a client without limits: the first one is set without choosing it before. */
const USUAL = ['maxOrderValue', 'maxDayValue', 'maxOpenOrders'] as const satisfies LimitField[]

/** The limits that a client has, as a form, and the choice of another one. */
export default function LimitsCard({ id, limits, logsAddress, onShadow }: LimitsCardProps) {
  const { form, submit, reset, changed, isPending, restored } = useLimitsForm(id, limits)
  /** Chosen here, and shown although they limit nothing yet. */
  const [added, setAdded] = useState<ReadonlySet<LimitField>>(new Set())
  const saved = limitsSet(toValues(limits))
  const usual = saved.length === 0 ? USUAL : []
  const shown = new Set([...saved, ...limitsSet(form.values), ...changed, ...added, ...usual])
  const isChanged = changed.length > 0
  const add = (text: string) => {
    const name = LIMIT_FIELDS.find((each) => each === text)
    if (name === undefined) return
    flushSync(() => setAdded(new Set([...added, name])))
    form.getInputNode(name)?.focus()
  }
  const rest = LIMIT_FIELDS.filter((name) => !shown.has(name))
  const choice = useRef<HTMLSelectElement>(null)
  useActions(() => [
    {
      ...{ label: words.add, does: texts.does.add, icon: 'plus', when: rest.length > 0 },
      run: () => choice.current?.focus(),
    },
  ])
  return (
    <Card
      title={words.title}
      description={words.description}
      actions={<CardLink href={logsAddress}>{words.logs}</CardLink>}
    >
      {saved.length === 0 && (
        <Alert variant="light" icon={<Icon name="shield" />} title={words.none.title} mb="md">
          {words.none.text}
          {limits.mode === NO_LIMITS.mode && (
            <Group mt="sm">
              <RoleOnly endpoint={replaceClientLimits}>
                <Button size="xs" variant="default" onClick={onShadow}>
                  {words.none.start}
                </Button>
              </RoleOnly>
            </Group>
          )}
        </Alert>
      )}
      <form onSubmit={submit} noValidate aria-label={words.title}>
        <LimitFields form={form} shown={shown} />
        {restored}
        <Group mt="md" gap="sm" align="center">
          <ActionButton
            isSubmit
            endpoint={replaceClientLimits}
            variant="filled"
            label={isPending ? words.saving : words.save}
            does={texts.does.save}
            disabled={isPending}
            when={isChanged}
            run={() => submit()}
          />
          <ActionButton
            label={words.reset}
            does={texts.does.reset}
            disabled={!isChanged || isPending}
            run={reset}
          />
          {rest.length > 0 && (
            <NativeSelect
              ref={choice}
              aria-label={words.add}
              data={[
                { value: '', label: `${words.add}...` },
                ...rest.map((value) => ({ value, label: limitLabel(value) })),
              ]}
              value=""
              onChange={(event) => add(event.currentTarget.value)}
            />
          )}
          <Quiet role="status">{isChanged && words.unsaved}</Quiet>
        </Group>
      </form>
    </Card>
  )
}

/**
 * The form of a client's limits. It sends what was changed alone; what somebody else changes
 * in between appears in the fields that were not touched.
 */
function useLimitsForm(id: number, saved: LimitsWithUsage) {
  const { change, isPending } = useChangeLimits(id)
  const form = useForm({ initialValues: toValues(saved), validate: problemsOf })
  const base = toValues(saved)
  const followed = useRef(base)
  const changed = changedFields(form.values, base)

  // biome-ignore lint/correctness/useExhaustiveDependencies: followed when the saved limits differ, not at each read.
  useEffect(() => {
    const touched = new Set(changedFields(form.values, followed.current))
    for (const name of changedFields(base, followed.current))
      if (!touched.has(name)) form.setFieldValue(name, base[name])
    followed.current = base
  }, [JSON.stringify(base)])

  const restored = useUnsentForm(
    `limits ${id}`,
    () =>
      changed.length > 0
        ? Object.fromEntries(changed.map((name) => [name, form.values[name]]))
        : null,
    form.setValues,
  )

  const focusFirst = (names: readonly string[]) => {
    const first = LIMIT_FIELDS.find((name) => names.includes(name))
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
  const submit = form.onSubmit(
    async (values) => {
      // A date without its time reads as empty, which would mean no limit.
      const time = form.getInputNode('expiresAt')
      if (time instanceof HTMLInputElement && time.validity.badInput) {
        form.setFieldError('expiresAt', words.problems.time)
        return focusFirst(['expiresAt'])
      }
      // What is typed from here on differs from what is saved, also where it is as it was before.
      followed.current = values
      try {
        const saved = await change(toChanges(values, changed))
        if (saved !== undefined) {
          followed.current = toValues(saved)
          // What was typed while it was being saved stays.
          const touched = new Set(changedFields(form.getValues(), values))
          for (const name of LIMIT_FIELDS)
            if (!touched.has(name)) form.setFieldValue(name, followed.current[name])
        }
        toast({ title: words.saved.title, message: words.saved.text })
      } catch (error) {
        followed.current = base
        reportFailure(error)
        if (error instanceof WaitsForApprovalError) form.setValues(base)
        const wrong = fieldProblemsOf(error)
        form.setErrors(wrong)
        focusFirst(Object.keys(wrong))
      }
    },
    (errors) => focusFirst(Object.keys(errors)),
  )
  const reset = () => {
    form.setValues(base)
    form.clearErrors()
  }
  return { form, submit, reset, changed, isPending, restored }
}

/** What the gateway says of single fields; of a list's entry (`allowedIps.0`) it is the list's. */
function fieldProblemsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const found = (error.problem.fields ?? []).map(({ field, message }) => [
    field.split('.')[0],
    message,
  ])
  return Object.fromEntries(found.toReversed())
}
