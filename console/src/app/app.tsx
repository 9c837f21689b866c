import './mantine-styles.ts'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { ToastRegion } from '../components/toast-region.tsx'
import { cssVariables } from './css-variables.ts'
import { SessionGate } from './session-gate.tsx'
import { theme } from './theme.ts'

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      deduplicateCssVariables={false}
    >
      <SessionGate />
      <ToastRegion />
    </MantineProvider>
  )
}
