import { Input, SegmentedControl, Text } from '@mantine/core'
import { ROLES, type Role } from 'schema'
import * as texts from './texts.ts'

interface RoleFieldProps {
  readonly role: Role
  readonly onChange: (role: Role) => void
}

/** A choice of the three roles, with what the chosen one may do. */
export function RoleField({ role, onChange }: RoleFieldProps) {
  return (
    <Input.Wrapper label={texts.role} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={texts.role}
        data={ROLES.map((value) => ({ value, label: texts.roles[value] }))}
        value={role}
        onChange={onChange}
      />
      <Text fz="sm" c="dimmed" mt={6} role="status">
        {texts.roleHints[role]}
      </Text>
    </Input.Wrapper>
  )
}
