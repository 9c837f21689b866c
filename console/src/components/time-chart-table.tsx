import { useState } from 'react'
import type { ChartSeries } from './chart-paths.ts'
import * as texts from './page-texts.ts'
import classes from './time-chart.module.css'

interface TimeChartTableProps {
  readonly label: string
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  readonly nameOf: (atMs: number) => string
}

/** The values of a chart in numbers, newest first; made when it is unfolded. */
export function TimeChartTable({ label, times, series, format, nameOf }: TimeChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.chartTable}</summary>
      {isOpen && (
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{texts.chartTime}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times
              .map((atMs, index) => (
                <tr key={atMs}>
                  <th scope="row">{nameOf(atMs)}</th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{values[index] == null ? '–' : format(values[index])}</td>
                  ))}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      )}
    </details>
  )
}
