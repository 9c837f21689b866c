import { Group, VisuallyHidden } from '@mantine/core'
import { PERMISSIONS, type Permission } from 'schema'
import { Tag, type TagColour } from '../../components/tag.tsx'
import * as texts from './texts.ts'
import type { ClientRecord } from './use-clients.ts'

/** Blue can lose money; yellow keeps trading after the client is disabled. */
const COLOURS: Readonly<Record<Permission, TagColour>> = {
  market: 'gray',
  account: 'gray',
  trade: 'blue',
  settings: 'blue',
  strategies: 'yellow',
}

interface PermissionTagsProps {
  readonly permissions: ClientRecord['permissions']
}

/** What a client may do; nothing for a gateway that does not report it. */
export function PermissionTags({ permissions }: PermissionTagsProps) {
  if (permissions === undefined) return null
  return (
    <Group component="span" gap={4}>
      <VisuallyHidden component="span">{`${texts.permissions.label}:`}</VisuallyHidden>
      {PERMISSIONS.filter((permission) => permissions.includes(permission)).map((permission) => (
        <Tag key={permission} colour={COLOURS[permission]}>
          {texts.permissions[permission].label}
        </Tag>
      ))}
    </Group>
  )
}
