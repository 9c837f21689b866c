import { Code, Modal, Stack, Switch, Table } from '@mantine/core'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { useSingleKeys } from './single-keys.ts'
import { texts } from './texts.ts'

const { shortcuts: words } = texts

/** What the keys do, and the switch for those of a single key. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn()
  const { isOn, set } = useSingleKeys()
  return (
    <Modal opened onClose={onClose} title={words.title} size="lg" transitionProps={{ duration: 0 }}>
      <Stack gap="md">
        <Table aria-label={words.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.keys}</Table.Th>
              <Table.Th>{words.what}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {words.rows.map(([keys, what]) => (
              <Table.Tr key={keys}>
                <Table.Td>
                  {keys.split(', ').map((each) => (
                    <Code component="kbd" key={each} mr={4} style={{ whiteSpace: 'nowrap' }}>
                      {each}
                    </Code>
                  ))}
                </Table.Td>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          label={words.single}
          description={words.singleHint}
          checked={isOn}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
