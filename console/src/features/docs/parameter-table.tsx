import { Code } from '@mantine/core'
import { InlineCode } from '../../components/inline-code.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import classes from './docs.module.css'
import { describeType, type Parameter } from './field-schema.ts'
import * as texts from './texts.ts'

const words = texts.parameter

interface ParameterTableProps {
  /** Makes the addresses of the parameters unique on their page. */
  readonly endpointId: string
  readonly parameters: readonly Parameter[]
}

/** Names, types, limits and meanings; each parameter has an address of its own. */
export function ParameterTable({ endpointId, parameters }: ParameterTableProps) {
  return (
    <table className={classes.parameters} {...tableRoles.table}>
      <thead {...tableRoles.group}>
        <tr {...tableRoles.row}>
          {words.columns.map((column) => (
            <th key={column} {...tableRoles.header}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...tableRoles.group}>
        {parameters.map((parameter) => (
          <ParameterRow
            key={parameter.name}
            id={`${endpointId}.${parameter.name}`}
            parameter={parameter}
          />
        ))}
      </tbody>
    </table>
  )
}

function ParameterRow({ id, parameter }: { id: string; parameter: Parameter }) {
  const { name, place, isRequired, schema } = parameter
  return (
    <tr id={id} {...tableRoles.row}>
      <th {...tableRoles.rowHeader}>
        <a href={`#${id}`} className={classes.anchor}>
          {name}
        </a>
        <div className={classes.dim}>
          {isRequired ? words.required : words.optional}
          {place !== 'body' && `, ${words.inPlace[place]}`}
        </div>
      </th>
      <td {...tableRoles.cell}>
        {describeType(schema)}
        {schema.enum?.map((choice) => (
          <span key={String(choice)}>
            {' '}
            <Code>{String(choice)}</Code>
          </span>
        ))}
        {schema.default !== undefined && schema.enum?.length !== 1 && (
          <div className={classes.dim}>{words.default(String(schema.default))}</div>
        )}
      </td>
      <td {...tableRoles.cell}>
        <InlineCode text={schema.description ?? ''} />
      </td>
    </tr>
  )
}
