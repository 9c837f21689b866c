import { Code, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { useSingleKeys } from './single-keys.ts'
import * as texts from './texts.ts'

const words = texts.shortcuts

/** What the keys do, and the switch for those of a single key. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn()
  const { isOn, set } = useSingleKeys()
  return (
    <Modal opened onClose={onClose} title={words.title} size="lg" transitionProps={{ duration: 0 }}>
      <Stack gap="md">
        <Stack component="ul" gap={10} p={0} m={0} aria-label={words.title}>
          {words.rows.map(([keys, what]) => (
            <Group key={keys} component="li" gap={4} style={{ columnGap: 12 }}>
              <Group gap={6} w={170}>
                {keys.split(', ').map((each) => (
                  <Code key={each} component="kbd">
                    {each}
                  </Code>
                ))}
              </Group>
              <Text fz="sm" flex="1 1 200px">
                {what}
              </Text>
            </Group>
          ))}
        </Stack>
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
