import { Checkbox, type CheckboxGroupProps, Group, SimpleGrid, VisuallyHidden } from '@mantine/core'
import { DEFAULT_PERMISSIONS, PERMISSIONS, type Permission } from 'schema'
import { Tag, type TagColour } from '../../components/signs.tsx'
import * as texts from './texts.ts'

/** Blue can lose money; yellow keeps trading after the client is disabled. */
const COLOURS: Readonly<Record<Permission, TagColour>> = {
  market: 'gray',
  account: 'gray',
  trade: 'blue',
  settings: 'blue',
  strategies: 'yellow',
}

const inOrder = (permissions: readonly Permission[]) =>
  PERMISSIONS.filter((permission) => permissions.includes(permission))

/** Whether these are the ones that a client gets when nothing else is asked for. */
export const isUsual = (permissions: readonly Permission[]) =>
  `${inOrder(permissions)}` === `${inOrder(DEFAULT_PERMISSIONS)}`

const labelsOf = (permissions: readonly Permission[]) =>
  inOrder(permissions).map((permission) => texts.permissions[permission].label)

/** `Permissions: usual`, or their names. */
export const permissionWords = (permissions: readonly Permission[]) =>
  texts.permissions.words(
    isUsual(permissions)
      ? texts.permissions.usual.toLowerCase()
      : labelsOf(permissions).join(', ') || texts.permissions.none,
  )

interface PermissionTagsProps {
  readonly permissions: readonly Permission[] | undefined
  /** Each by its name, also the usual. */
  readonly inFull?: boolean
}

/** What a client may do, the usual in one word; nothing for a gateway that does not report it. */
export function PermissionTags({ permissions, inFull = false }: PermissionTagsProps) {
  if (permissions === undefined) return null
  const isShort = isUsual(permissions) && !inFull
  return (
    <Group component="span" gap={4} title={isShort ? labelsOf(permissions).join(', ') : undefined}>
      <VisuallyHidden component="span">{`${texts.permissions.label}:`}</VisuallyHidden>
      {isShort ? (
        <Tag colour="blue">{texts.permissions.usual}</Tag>
      ) : (
        inOrder(permissions).map((permission) => (
          <Tag key={permission} colour={COLOURS[permission]}>
            {texts.permissions[permission].label}
          </Tag>
        ))
      )}
    </Group>
  )
}

type PermissionsFieldProps = Pick<CheckboxGroupProps<Permission>, 'value' | 'onChange' | 'error'>

/** What a client may do, each with what it opens. */
export function PermissionsField({ error, ...rest }: PermissionsFieldProps) {
  return (
    <Checkbox.Group label={texts.permissions.label} error={error} {...rest}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt={6} mb={error ? 6 : 0}>
        {PERMISSIONS.map((permission) => (
          <Checkbox
            key={permission}
            value={permission}
            label={texts.permissions[permission].label}
            description={texts.permissions[permission].hint}
          />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}
