import { Anchor, Text } from '@mantine/core'
import { botErrors } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { InlineCode } from '../../components/inline-code.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import { StatusTag } from '../../components/tag.tsx'
import classes from './connect.module.css'
import * as texts from './texts.ts'

const errors = texts.errors

/** The errors that a bot meets, and whether it may send the same again. */
export function ErrorsCard() {
  return (
    <Card title={errors.title} description={errors.description}>
      <table className={classes.errors} {...tableRoles.table}>
        <thead {...tableRoles.group}>
          <tr {...tableRoles.row}>
            {errors.columns.map((column) => (
              <th key={column} {...tableRoles.header}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...tableRoles.group}>
          {botErrors.map(({ code, status, means, todo }) => (
            <tr key={code} {...tableRoles.row}>
              <th {...tableRoles.rowHeader}>
                <StatusTag status={status} /> <code>{code}</code>
              </th>
              <td {...tableRoles.cell}>{means}</td>
              <td {...tableRoles.cell}>
                <InlineCode text={todo} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Text fz="sm" c="dimmed" mt="sm">
        {errors.rest}{' '}
        <Anchor href={`${gatewayUrl()}/docs`} fz="sm" underline="always">
          {errors.restLink}
        </Anchor>
      </Text>
    </Card>
  )
}
