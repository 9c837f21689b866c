import { Checkbox, type CheckboxGroupProps, SimpleGrid } from '@mantine/core'
import { PERMISSIONS, type Permission } from 'schema'
import * as texts from './texts.ts'

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
