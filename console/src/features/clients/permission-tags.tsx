import { Group, VisuallyHidden } from '@mantine/core'
import { PERMISSIONS } from 'schema'
import { Tag } from '../../components/tag.tsx'
import { texts } from './texts.ts'
import type { ClientRecord } from './use-clients.ts'

interface PermissionTagsProps {
  readonly permissions: ClientRecord['permissions']
}

/** What a client may do; nothing for a gateway that does not report it. */
export function PermissionTags({ permissions }: PermissionTagsProps) {
  if (permissions === undefined) return null
  return (
    <Group component="span" gap={4}>
      <VisuallyHidden component="span">{texts.permissions.label}:</VisuallyHidden>
      {PERMISSIONS.filter((permission) => permissions.includes(permission)).map((permission) => (
        <Tag key={permission} colour={permission === 'trade' ? 'blue' : 'gray'}>
          {texts.permissions[permission].label}
        </Tag>
      ))}
    </Group>
  )
}
