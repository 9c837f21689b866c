import type { CSSVariablesResolver } from '@mantine/core'

/**
 * Corrects Mantine's colours where they miss 4.5:1 for text and 3:1 for the borders of controls, and adds the
 * console's own: canvas (behind cards), control border, mark.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--sluice-canvas': '#f3f6f7',
    '--sluice-control-border': '#848d96',
    '--sluice-mark': '#0e6178',
    '--mantine-color-text': '#15202a',
    '--mantine-color-dimmed': '#56606a',
    '--mantine-color-placeholder': '#6b737b',
    '--mantine-color-anchor': '#0e6178',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-default-border': '#d5dde2',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-green-light-color': '#1b5e2b',
    '--mantine-color-orange-light-color': '#8f2f05',
    '--mantine-color-teal-light-color': '#05543d',
    '--mantine-color-gray-light-color': '#454e57',
    '--mantine-color-blue-light-color': '#134f8c',
    '--mantine-color-red-light-color': '#a31c1c',
    '--mantine-color-yellow-outline': '#8a5300',
    '--mantine-color-green-outline': '#237032',
    '--mantine-color-blue-outline': '#1864ab',
    '--mantine-color-red-outline': '#c92a2a',
    '--mantine-color-gray-outline': '#5c636a',
    '--mantine-color-orange-outline': '#b53b07',
    '--mantine-color-teal-outline': '#087f5b',
  },
  dark: {
    '--sluice-canvas': '#0f151a',
    '--sluice-control-border': '#71808d',
    '--sluice-mark': '#147690',
    '--mantine-color-text': '#d8dee4',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#86d3e6',
    '--mantine-color-dimmed': '#a3aeb8',
    '--mantine-color-placeholder': '#97a3ae',
    '--mantine-color-default-border': '#2f3943',
    '--mantine-color-sluice-light': '#12313b',
    '--mantine-color-sluice-light-color': '#a8d8e4',
    '--mantine-color-red-outline': '#ff8787',
    '--mantine-color-red-light-color': '#ffa8a8',
  },
})
