import type fc from 'fast-check'

/** A part of the gateway that reads what others write, and what must hold for every input. */
export interface Target {
  /** As `--only` has it; the file in `targets/` has the same name. */
  readonly name: string
  readonly about: string
  /** Its part of all inputs; what reads text is a thousand times as fast as what opens sockets. */
  readonly weight: number
  readonly open: () => Promise<OpenTarget>
}

interface OpenTarget {
  /** Throws for an input that breaks a promise. */
  readonly property: fc.IRawProperty<unknown, boolean>
  /** How many inputs one run of the property has; 1 when absent. */
  readonly inputsPerRun?: number
  /**
   * It runs a whole gateway: a failing input is shown as it is, without a search for a smaller
   * one.
   */
  readonly isSlow?: boolean
  readonly close?: () => Promise<void>
}
