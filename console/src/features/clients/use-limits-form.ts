import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { LimitsWithUsage } from 'schema'
import { ApiError, WaitsForApprovalError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { toast } from '../../components/toast.tsx'
import { changedFields, LIMIT_FIELDS, problemsOf, toChanges, toValues } from './limit-values.ts'
import * as limitsTexts from './limits-texts.ts'
import { useChangeLimits } from './use-client-limits.ts'

const { saved: savedTexts, problems } = limitsTexts.limits

/**
 * The form of a client's limits. It sends what was changed alone; what somebody else changes
 * meanwhile appears in the fields that were not touched.
 */
export function useLimitsForm(id: number, saved: LimitsWithUsage) {
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
        form.setFieldError('expiresAt', problems.time)
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
        toast({ title: savedTexts.title, message: savedTexts.text })
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
  return { form, submit, reset, isChanged: changed.length > 0, isPending, restored }
}
export type LimitsForm = ReturnType<typeof useLimitsForm>['form']

/** What the gateway says of single fields; of a list's entry (`allowedIps.0`) it is the list's. */
function fieldProblemsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const found = (error.problem.fields ?? []).map(({ field, message }) => [
    field.split('.')[0],
    message,
  ])
  return Object.fromEntries(found.toReversed())
}
