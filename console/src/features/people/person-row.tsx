import { Box, Button, Group, Stack, Text } from '@mantine/core'
import type { Person } from 'schema'
import { formatDateTime } from '../../components/format-time.ts'
import { Tag } from '../../components/tag.tsx'
import * as texts from './texts.ts'

/** What an admin can do with a person. */
export type PersonAction = keyof typeof texts.actions

interface PersonRowProps {
  readonly person: Person
  readonly isOwn: boolean
  readonly onChangeRole: () => void
  readonly onAsk: (action: PersonAction) => void
}

/** A person: role, state, second factors, last use, and what can be done. */
export function PersonRow({ person, isOwn, onChangeRole, onAsk }: PersonRowProps) {
  const { email, role, isDisabled, factors, createdAt, provider } = person
  const isOfProvider = typeof provider === 'string'
  const kinds = factors.map((kind) => texts.kinds[kind]).join(', ')
  const actions: readonly PersonAction[] = [
    ...(isOfProvider && person.hasPassword === false ? [] : (['password'] as const)),
    ...(factors.length > 0 ? (['withoutFactor'] as const) : []),
    ...(person.sessions > 0 ? (['endSessions'] as const) : []),
    isDisabled ? 'enable' : 'disable',
  ]
  return (
    <Stack component="li" gap="xs" aria-label={email}>
      <Box style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs" fz="sm" fw={600}>
          {email}
          {isOwn && <Tag colour="blue">{texts.you}</Tag>}
          <Tag colour="gray">{texts.roles[role]}</Tag>
          {isDisabled && <Tag colour="red">{texts.disabled}</Tag>}
        </Group>
        <Text fz="sm" c="dimmed">
          {[
            ...(isOfProvider ? [texts.roleFrom(provider)] : []),
            ...(isOfProvider && kinds === '' ? [] : [kinds || texts.noFactor]),
            useOf(person),
            texts.created(formatDateTime(createdAt)),
          ].join(' · ')}
        </Text>
      </Box>
      <Group gap="xs">
        {!isOfProvider && (
          <Button
            variant="default"
            size="xs"
            aria-label={texts.nameOf(texts.changeRole, email)}
            onClick={onChangeRole}
          >
            {texts.changeRole}
          </Button>
        )}
        {actions.map((action) => (
          <Button
            key={action}
            variant={action === 'disable' ? 'light' : 'default'}
            {...(action === 'disable' ? { color: 'red' } : {})}
            size="xs"
            aria-label={texts.nameOf(texts.actions[action].label, email)}
            onClick={() => onAsk(action)}
          >
            {texts.actions[action].label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

/** Whether the person is signed in now, and when a sign-in last succeeded. */
function useOf({ sessions, lastUsedAt, lastSignInAt }: Person): string {
  if (lastSignInAt === null) return texts.neverSignedIn
  return [
    lastUsedAt === null ? texts.notSignedIn : texts.lastUsed(formatDateTime(lastUsedAt), sessions),
    texts.lastSignIn(formatDateTime(lastSignInAt)),
  ].join(' · ')
}
