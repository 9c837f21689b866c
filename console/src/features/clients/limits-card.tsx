import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { type LimitsWithUsage, NO_LIMITS, replaceClientLimits } from 'schema'
import { Link } from 'wouter'
import { RoleOnly } from '../../api/role-only.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import { LimitFields } from './limit-fields.tsx'
import { LIMIT_FIELDS } from './limit-values.ts'
import * as limitsTexts from './limits-texts.ts'
import { useLimitsForm } from './use-limits-form.ts'

interface LimitsCardProps {
  readonly id: number
  readonly limits: LimitsWithUsage
  /** Where the log has what the limits refused. */
  readonly logsAddress: string
  readonly onShadow: () => void
}

const {
  title,
  description,
  none,
  logs,
  save,
  saving,
  reset: resetLabel,
  unsaved,
} = limitsTexts.limits

/** The limits of a client as a form; for one without any, what limits are for. */
export function LimitsCard({ id, limits, logsAddress, onShadow }: LimitsCardProps) {
  const { form, submit, reset, isChanged, isPending, restored } = useLimitsForm(id, limits)
  const hasNone = LIMIT_FIELDS.every((name) => limits[name] === NO_LIMITS[name])
  return (
    <Card
      title={title}
      description={description}
      actions={
        <Anchor component={Link} fz="sm" href={logsAddress}>
          {logs}
        </Anchor>
      }
    >
      {hasNone && (
        <Alert variant="light" icon={<Icon name="shield" />} title={none.title} mb="lg">
          {none.text}
          {limits.mode === 'enforce' && (
            <Group mt="sm">
              <RoleOnly endpoint={replaceClientLimits}>
                <Button size="xs" variant="default" onClick={onShadow}>
                  {none.start}
                </Button>
              </RoleOnly>
            </Group>
          )}
        </Alert>
      )}
      <form onSubmit={submit} noValidate aria-label={title}>
        <LimitFields form={form} />
        {restored}
        <Group mt="lg" gap="sm">
          <RoleOnly endpoint={replaceClientLimits}>
            <Button type="submit" disabled={isPending}>
              {isPending ? saving : save}
            </Button>
          </RoleOnly>
          <Button variant="default" onClick={reset} disabled={!isChanged || isPending}>
            {resetLabel}
          </Button>
          <Text fz="sm" c="dimmed" role="status">
            {isChanged && unsaved}
          </Text>
        </Group>
      </form>
    </Card>
  )
}
